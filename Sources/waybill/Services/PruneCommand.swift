import ArgumentParser
import Prune

/// `waybill prune`: keeps the device registry free of dead tokens.
struct PruneCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "prune",
        abstract: "Disable dead device tokens in the registry.",
        discussion: """
            Consumes the invalid-token events and disables the token in the collection devices: a dead one only if it was \
            registered no later than APNs says it died, a suspect one is marked and stays enabled. Nothing is ever erased. \
            Runs until SIGTERM or SIGINT.

            Examples:
              waybill prune --config waybill.yaml
              waybill devices --disabled --limit 20      what has been disabled
            """
    )

    @OptionGroup var settings: ConfigurationOptions
    @OptionGroup(title: "Logging") var logging: LoggingOptions

    func run() async throws {
        let configuration = try settings.load()
        try await reportingFailures(of: "prune") {
            let logger = logging.makeLogger(label: "waybill.prune")
            try await ServiceRunner.run(PruneService(configuration: configuration, logger: logger), logger: logger)
        }
    }
}
