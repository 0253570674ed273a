package import Logging
import WaybillMongo
package import WaybillSettings
import WaybillTransfer

extension HooksService {
    /// Takes what the worker needs out of the configuration; connects to nothing yet.
    ///
    /// - Parameters:
    ///   - mail: how mail goes out.
    ///   - store: where the outbox is.
    ///   - logger: takes what the worker says.
    /// - Throws: `MongoError` for a URL that cannot be used, `OwnerOnlyFile.Problem` for a private key.
    package init(mail: MailSettings, store: StoreSettings, logger: Logger) throws {
        self.init(
            settings: HooksSettings(
                database: store.database,
                sender: mail.sender,
                carrier: MailCarrier(mail.way)
            ),
            pool: try MongoPool(
                url: store.url.value,
                applicationName: "waybill hooks",
                maximumClients: 1,
                tls: MongoTLS(caFile: store.caFile, identity: try store.readIdentity())
            ),
            logger: logger
        )
    }
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
