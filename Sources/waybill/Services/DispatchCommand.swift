import ArgumentParser
import Dispatcher
import Settings

/// `waybill dispatch`: the pipeline from the broker over APNs to the log.
struct DispatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dispatch",
        abstract: "Send what producers publish, and record what became of it.",
        discussion: """
            Runs until SIGTERM or SIGINT; then it stops consuming, drains what is in flight within dispatch.grace, leaves \
            the rest to the broker, and exits 0. Several dispatchers may run side by side.

            Examples:
              waybill dispatch --config waybill.yaml
              waybill dispatch --log-format json --log-level debug
            """
    )

    @OptionGroup var settings: ConfigurationOptions
    @OptionGroup(title: "Logging") var logging: LoggingOptions

    func run() async throws {
        let loaded = try settings.load()
        try await reportingFailures(of: "dispatch") {
            try requireUsableKeys(loaded)
            let logger = logging.makeLogger(label: "waybill.dispatch")
            try await ServiceRunner.run(DispatchService(configuration: loaded, logger: logger), logger: logger)
        }
    }

    /// A key that is unusable would park its lane; an operator who starts a service wants to know at once.
    private func requireUsableKeys(_ configuration: WaybillConfiguration) throws {
        let errors = KeyChecks.run(configuration).filter { $0.severity == .error }
        for finding in errors { Terminal.say(Terminal.standardError.line(for: finding)) }
        if let status = ExitStatus.worst(of: errors) { throw status.exit }
    }
}
