import Logging
import WaybillCore
import WaybillDispatcher
import WaybillHTTPAPI
import WaybillMessages
import WaybillNotifications
import WaybillOperations
import WaybillProviders
import WaybillSettings
import WaybillTelemetry
import WaybillThreads

/// The HTTP API as a role of a process.
struct ServeRole {
    let logging: LoggingOptions

    /// Makes it ready; listens to nothing yet.
    ///
    /// - Throws: what cannot be used of the configuration.
    func prepare(_ sections: ConfigurationSections) throws -> RoleWork {
        let serve = try ConfigurationOptions.present(sections.serve)
        let store = try ConfigurationOptions.present(sections.store)
        let broker = try ConfigurationOptions.present(sections.broker)
        let topology = sections.topology(broker)
        let logger = logging.makeLogger(label: "waybill.serve", sections.log)
        let status = RecentStatus()
        let server = try APIServer(
            settings: serve,
            pool: try store.pool(for: "serve", clients: APIServer.clients),
            backend: APIBackend(
                // Nothing is written here: how long records are kept is the dispatcher's business.
                log: try store.makeLogOptions(retention: RetentionPolicy(default: .keep)),
                broker: broker,
                retry: sections.retry,
                campaigns: PostedRules(sections),
                status: { client in
                    status.text { InstallationState(broker, client, database: store.database, topology) }
                }
            ),
            logger: logger
        )
        let frame = ServiceFrame(role: .serve, sections, logger: logger)
        frame.view.began(0, server)
        // Beside a dispatcher nothing is to be pushed by a process that ends at once.
        return RoleWork(frame: frame, work: server) { try await server.requireAddress() }
    }
}

/// The installation's state as it was a moment ago: whoever asks often costs the broker and the store no more than others.
private final class RecentStatus: Sendable {
    private let last = Guarded<(text: String, asked: MonotonicTime)?>(nil)

    private static let freshness = Duration.seconds(2)

    func text(_ ask: () -> InstallationState) -> String {
        let now = MonotonicTime.now()
        if let last = last.withLock({ $0 }), now.duration(since: last.asked) < Self.freshness { return last.text }
        let text = StatusJSON.text(of: ask())
        last.withLock { $0 = (text, now) }
        return text
    }
}
