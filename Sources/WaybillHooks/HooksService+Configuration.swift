package import Logging
import WaybillMongo
package import WaybillSettings
import WaybillTransfer

extension HooksService {
    /// Takes what the worker needs out of the configuration; connects to nothing yet.
    ///
    /// - Parameters:
    ///   - mail: how mail goes out; `nil`: none does.
    ///   - webhooks: how webhooks go out; `nil`: none does.
    ///   - tellsOfReceipts: whether there are receipts of devices to tell of.
    ///   - store: where the outbox is.
    ///   - logger: takes what the workers say.
    /// - Throws: `MongoError` for a URL that cannot be used, `OwnerOnlyFile.Problem` for a private key.
    package init(
        mail: MailSettings?,
        webhooks: WebhookSettings?,
        tellsOfReceipts: Bool = false,
        store: StoreSettings,
        logger: Logger
    ) throws {
        self.init(
            settings: HooksSettings(
                database: store.database,
                mail: mail.map { HooksSettings.Mail(sender: $0.sender, carrier: MailCarrier($0.way)) },
                webhooks: webhooks.map { settings in
                    HooksSettings.Webhooks(
                        allowsPlain: settings.allowsPlain,
                        allowed: settings.allowed,
                        allowedOfServices: settings.allowedOfServices,
                        caFile: settings.caFile,
                        hasPlainTokens: store.hasPlainTokens,
                        tellsOfReceipts: tellsOfReceipts
                    )
                }
            ),
            pool: try MongoPool(
                url: store.url.value,
                applicationName: "waybill hooks",
                maximumClients: 4,
                tls: MongoTLS(caFile: store.caFile, identity: try store.readIdentity())
            ),
            logger: logger
        )
    }
}

extension StoreSettings {
    /// Whether the log holds device tokens as they are sent.
    package var hasPlainTokens: Bool { if case .plain = tokens { true } else { false } }
}

extension MailCarrier {
    package init(_ way: MailSettings.Way) {
        switch way {
        case .server(let server):
            self = .server(
                MailServer(
                    url: server.url,
                    credentials: server.user.map {
                        TransferRequest.Credentials(user: $0, password: server.password?.value ?? "")
                    },
                    caFile: server.caFile
                )
            )
        case .folder(let path): self = .folder(path)
        }
    }
}
