import Foundation
import Logging
import ServiceLifecycle
import WaybillHTTPAPI
import WaybillOperations
import WaybillSettings
import WaybillTelemetry
import WaybillThreads

/// What every role has around its work: the view of it, the admin listener, the lease.
struct ServiceFrame {
    let view: ProcessView
    private let listen: AdminSettings.Listen?
    private let hosts: [String]
    private let store: StoreSettings?
    let logger: Logger

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
        hosts = sections.admin.hosts
        self.logger = logger
    }

    /// What runs beside the work: whoever looks at it asks these.
    ///
    /// - Throws: when the store's settings cannot work.
    func companions() throws -> [any Service] {
        var companions: [any Service] = []
        if let store {
            companions.append(
                LeaseKeeper(view: view, pool: try store.pool(for: "lease"), database: store.database, logger: logger)
            )
        }
        if let listen {
            companions.append(
                AdminServer(host: listen.host, port: listen.port, names: hosts, view: view, logger: logger)
            )
        }
        return companions
    }
}
