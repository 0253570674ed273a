import ArgumentParser
import WaybillDispatcher
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
            """
    )

    @OptionGroup var settings: ConfigurationOptions
    @OptionGroup(title: "Logging") var logging: LoggingOptions

    func run() async throws {
        let sections = try settings.load(for: .dispatch)
        try await reportingFailures(of: "dispatch") {
            try requireUsableKeys(sections)
            let first = try prepared(sections)
            let frame = ServiceFrame(role: .dispatch, sections, logger: first.logger)
            let service = ReloadingService(first: first, view: frame.view) {
                try prepared(settings.reload(for: .dispatch), isReplacement: true)
            }
            try await frame.run(service)
        }
    }

    private func prepared(
        _ sections: ConfigurationSections,
        isReplacement: Bool = false
    ) throws -> PreparedWorker<DispatchService> {
        let configuration = try ConfigurationOptions.present(sections.configuration)
        let logger = logging.makeLogger(label: "waybill.dispatch", sections.log)
        return PreparedWorker(
            worker: try DispatchService(configuration: configuration, isReplacement: isReplacement, logger: logger),
            logger: logger
        )
    }

    /// A key that is unusable would park its lane; an operator who starts a service wants to know at once.
    private func requireUsableKeys(_ configuration: ConfigurationSections) throws {
        let errors = KeyChecks.run(configuration, role: .dispatch).filter { $0.severity == .error }
        for finding in errors { Terminal.say(Terminal.standardError.line(for: finding)) }
        if let status = ExitStatus.worst(of: errors) { throw status.exit }
    }
}
