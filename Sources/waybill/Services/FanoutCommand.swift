import ArgumentParser
import WaybillSettings

/// `waybill fanout`: makes dispatch messages of audiences.
struct FanoutCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fanout",
        abstract: "Turn audiences into messages for their devices.",
        discussion: """
            Examples:
              waybill fanout --config waybill.yaml
              waybill audience send news.json            an audience of your own

            Consumes audience messages, finds their devices in the registry, and publishes dispatch messages of at most 1,000 \
            tokens, each written to the store before. It keeps no more than 100 messages waiting in the bulk queue. Several \
            may run side by side; each audience is expanded by one of them. Runs until SIGTERM or SIGINT; SIGHUP reads the \
            configuration again.
            """ + ExitStatus.help(ExitStatus.ofServices)
    )

    @OptionGroup var settings: ConfigurationOptions
    @OptionGroup(title: "Logging") var logging: LoggingOptions

    func run() async throws {
        let sections = try settings.load(for: .fanout)
        try await reportingFailures(of: "fanout") {
            try await RoleWork.run([FanoutRole(settings: settings, logging: logging).prepare(sections)])
        }
    }
}
