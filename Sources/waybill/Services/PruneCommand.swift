import ArgumentParser
import Prune
import Settings

/// `waybill prune`: keeps the device registry free of dead tokens.
struct PruneCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "prune",
        abstract: "Disable dead device tokens in the registry.",
        discussion: """
            Consumes the invalid-token events and disables the token in the collection devices: a dead one only if it was \
            registered no later than APNs says it died, a suspect one is marked and stays enabled. Nothing is ever erased. \
            Runs until SIGTERM or SIGINT; SIGHUP reads the configuration again.

            Examples:
              waybill prune --config waybill.yaml
              waybill devices --disabled --limit 20      what has been disabled
            """
    )

    @OptionGroup var settings: ConfigurationOptions
    @OptionGroup(title: "Logging") var logging: LoggingOptions

    func run() async throws {
        let sections = try settings.load(for: .prune)
        try await reportingFailures(of: "prune") {
            let first = try prepared(sections)
            let service = ReloadingService(first: first) { try prepared(settings.reload(for: .prune)) }
            try await ServiceRunner.run(service, logger: first.logger)
        }
    }

    private func prepared(_ sections: ConfigurationSections) throws -> PreparedWorker<PruneService> {
        let broker = try ConfigurationOptions.present(sections.broker)
        let store = try ConfigurationOptions.present(sections.store)
        let logger = logging.makeLogger(label: "waybill.prune", sections.log)
        return PreparedWorker(
            worker: try PruneService(broker: broker, store: store, logger: logger),
            logger: logger
        )
    }
}
