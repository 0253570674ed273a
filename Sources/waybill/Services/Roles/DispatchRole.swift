import WaybillDispatcher
import WaybillSettings

/// The dispatcher as a role of a process.
struct DispatchRole {
    let settings: ConfigurationOptions
    let logging: LoggingOptions

    /// Makes it ready; connects to nothing.
    ///
    /// - Throws: what cannot be used of the configuration, and `ExitCode` when a key cannot, after saying so.
    func prepare(_ sections: ConfigurationSections) throws -> RoleWork {
        try requireUsableKeys(sections)
        let first = try prepared(sections)
        let frame = ServiceFrame(role: .dispatch, sections, logger: first.logger)
        let reloads = ReloadRequests()
        let service = ReloadingService(first: first, view: frame.view, requests: reloads) {
            try prepared(settings.reload(for: .dispatch), isReplacement: true)
        }
        return RoleWork(frame: frame, work: service, reloads: reloads)
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
