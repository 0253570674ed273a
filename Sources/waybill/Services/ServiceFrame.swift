import Foundation
import Logging
import ServiceLifecycle
import WaybillHTTPAPI
import WaybillOperations
import WaybillSettings
import WaybillTelemetry
import WaybillThreads

/// What every long-running command has around its work: the view of the process, the admin listener, the word to the
/// service manager.
struct ServiceFrame {
    let view: ProcessView
    private let listen: AdminSettings.Listen?
    private let store: StoreSettings?
    private let logger: Logger

    init(role: AdminSettings.Role, _ sections: ConfigurationSections, logger: Logger) {
        view = ProcessView(
            ProcessView.Identity(
                role: role.rawValue,
                version: ProductVersion.current,
                host: ProcessInfo.processInfo.hostName,
                process: ProcessInfo.processInfo.processIdentifier,
                started: WallClock.milliseconds()
            )
        )
        store = sections.store
        listen = sections.admin.listen[role]
        self.logger = logger
    }

    /// Runs until the work ends or the operating system asks for an end.
    ///
    /// - Throws: what the work throws.
    func run(_ work: some Service) async throws {
        let notifier = SystemdNotifier(environment: ProcessInfo.processInfo.environment)
        var companions: [any Service] = [Heartbeat(view: view, notifier: notifier)]
        if let store {
            companions.append(
                LeaseKeeper(view: view, pool: try store.pool(for: "lease"), database: store.database, logger: logger)
            )
        }
        if let listen {
            companions.append(AdminServer(host: listen.host, port: listen.port, view: view, logger: logger))
        }
        try await ServiceRunner.run(work, beside: companions, logger: logger)
    }
}
