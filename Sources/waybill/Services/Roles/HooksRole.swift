import WaybillHooks
import WaybillSettings

/// The sending of mail and webhooks as a role of a process.
struct HooksRole: ReloadedRole {
    static let role = AdminSettings.Role.hooks
    static let needs = ConfigurationRole.hooks

    let settings: ConfigurationOptions
    let logging: LoggingOptions

    func prepared(_ sections: ConfigurationSections) throws -> PreparedWorker<HooksService> {
        guard sections.mail != nil || sections.webhooks != nil else {
            throw CommandFailure(
                .configuration,
                "the role hooks needs the section mail or webhooks of the configuration"
            )
        }
        let store = try ConfigurationOptions.present(sections.store)
        let logger = logging.makeLogger(label: "waybill.hooks", sections.log)
        return PreparedWorker(
            worker: try HooksService(
                mail: sections.mail,
                webhooks: sections.webhooks,
                tellsOfReceipts: sections.receipts != nil,
                store: store,
                logger: logger
            ),
            logger: logger
        )
    }
}
