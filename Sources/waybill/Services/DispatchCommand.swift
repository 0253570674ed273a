import ArgumentParser
import WaybillSettings

/// `waybill dispatch`: the pipeline from the broker over APNs to the log.
struct DispatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dispatch",
        abstract: "Send what producers publish, and record what became of it.",
        discussion: """
            Examples:
              waybill dispatch --config waybill.yaml
              waybill dispatch --log-format json --log-level debug

            Runs until SIGTERM or SIGINT; then it stops consuming, drains what is in flight within dispatch.grace, leaves \
            the rest to the broker, and exits 0. Several dispatchers may run side by side. SIGHUP reads the configuration \
            again: lanes, keys, certificates, retention and the log level change without a pause, and a file with a \
            mistake changes nothing.
            """ + ExitStatus.help(ExitStatus.ofServices)
    )

    @OptionGroup var settings: ConfigurationOptions
    @OptionGroup(title: "Logging") var logging: LoggingOptions

    func run() async throws {
        let sections = try settings.load(for: .dispatch)
        try await reportingFailures(of: "dispatch") {
            try await RoleWork.run([DispatchRole(settings: settings, logging: logging).prepare(sections)])
        }
    }
}
