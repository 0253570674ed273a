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
        let pool = try store.pool(for: "serve", clients: APIServer.clients)
        let watch = try InstallationWatch(broker, store, topology)
        let server = try APIServer(
            settings: serve,
            pool: pool,
            backend: APIBackend(
                // Nothing is written here: how long records are kept is the dispatcher's business.
                log: try store.makeLogOptions(retention: RetentionPolicy(default: .keep)),
                broker: broker,
                retry: sections.retry,
                lanes: sections.lanes.map(\.name),
                campaigns: PostedRules(sections),
                ofServices: serve.services?.client,
                status: { StatusJSON.text(of: await watch.state()) },
                stateHasChanged: { watch.storeHasChanged() }
            ),
            logger: logger
        )
        let frame = ServiceFrame(role: .serve, sections, logger: logger)
        frame.view.began(0, server)
        // Beside a dispatcher nothing is to be pushed by a process that ends at once.
        return RoleWork(frame: frame, work: server) { try server.requireAddress() }
    }
}
