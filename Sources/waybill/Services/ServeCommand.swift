import ArgumentParser
import Logging
import WaybillCore
import WaybillDispatcher
import WaybillHTTPAPI
import WaybillOperations
import WaybillSettings
import WaybillTelemetry

/// `waybill serve`: the HTTP API.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Offer what became of pushes, and the installation's state, over HTTP.",
        discussion: """
            Examples:
              waybill serve --config waybill.yaml
              waybill serve --set serve.listen=127.0.0.1:8080 &
              curl -H "Authorization: Bearer $KEY" http://127.0.0.1:8080/v1/status

            Listens at serve.listen until SIGTERM or SIGINT. Whoever asks shows a key (waybill keys). Beyond this machine it \
            needs a certificate, which is read again when it changes, or a proxy in front. For other settings start it again.
            """
    )

    @OptionGroup var settings: ConfigurationOptions
    @OptionGroup(title: "Logging") var logging: LoggingOptions

    func run() async throws {
        let sections = try settings.load(for: .serve)
        try await reportingFailures(of: "serve") {
            let serve = try ConfigurationOptions.present(sections.serve)
            let store = try ConfigurationOptions.present(sections.store)
            let broker = try ConfigurationOptions.present(sections.broker)
            let topology = sections.topology(broker)
            let logger = logging.makeLogger(label: "waybill.serve", sections.log)
            let server = try APIServer(
                settings: serve,
                pool: try store.pool(for: "serve", clients: APIServer.clients),
                backend: APIBackend(
                    // Nothing is written here: how long records are kept is the dispatcher's business.
                    log: try store.makeLogOptions(retention: RetentionPolicy(default: .keep)),
                    status: { StatusJSON.text(of: try InstallationState(broker, store, topology)) }
                ),
                logger: logger
            )
            let frame = ServiceFrame(role: .serve, sections, logger: logger)
            frame.view.began(0, server)
            try await frame.run(server)
        }
    }
}
