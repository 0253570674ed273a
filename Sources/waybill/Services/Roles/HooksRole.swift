import WaybillHooks
import WaybillSettings

/// The sending of mail and webhooks as a role of a process.
struct HooksRole {
    let settings: ConfigurationOptions
    let logging: LoggingOptions

    /// Makes it ready; connects to nothing.
    ///
    /// - Throws: what cannot be used of the configuration.
    func prepare(_ sections: ConfigurationSections) throws -> RoleWork {
        let first = try prepared(sections)
        let frame = ServiceFrame(role: .hooks, sections, logger: first.logger)
        let service = ReloadingService(first: first, view: frame.view) {
            try prepared(settings.reload(for: .hooks))
        }
        return RoleWork(frame: frame, work: service)
    }

    private func prepared(_ sections: ConfigurationSections) throws -> PreparedWorker<HooksService> {
        guard sections.mail != nil || sections.webhooks != nil else {
            throw CommandFailure(
                .configuration,
                "the role hooks needs the section mail or webhooks of the configuration"
            )
        }
        let store = try ConfigurationOptions.present(sections.store)
        let logger = logging.makeLogger(label: "waybill.hooks", sections.log)
        return PreparedWorker(
            worker: try HooksService(mail: sections.mail, webhooks: sections.webhooks, store: store, logger: logger),
            logger: logger
        )
    }
}
