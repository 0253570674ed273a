import WaybillAccounts
import WaybillMongo
import WaybillOutbox

/// The mail that asks whether an address is that of whoever gave it.
enum ConfirmationMail {
    /// What a link's path begins with.
    static let path = "/account/confirm/"

    /// Puts it into the outbox; the token's own id keeps it from going twice.
    ///
    /// - Parameters:
    ///   - account: whose address it is.
    ///   - token: what the link holds.
    ///   - baseURL: what the link begins with: the configuration's, never what a request says.
    ///   - client: of the thread.
    ///   - database: where the outbox is.
    ///   - now: milliseconds since 1970.
    /// - Throws: when it is not known to be durable.
    static func enqueue(
        for account: Account,
        _ token: ConfirmationToken,
        baseURL: String,
        client: MongoClient,
        database: String,
        now: Int64
    ) throws(MongoError) {
        let mail: Mail
        do throws(MailError) {
            mail = try Mail(
                to: MailAddress(account.email.text),
                subject: "Confirm your e-mail address",
                paragraphs: [
                    "Hello \(account.name.text),\nsomebody has signed up with this address. If that was you, confirm it "
                        + "within a day.",
                    "If it was not you, leave this mail alone: without a confirmation the account goes by itself.",
                ],
                link: MailLink(label: "Confirm the address", url: baseURL + path + token.reveal())
            )
        } catch {
            throw MongoError(code: .commandFailed, operation: "compose a mail", reason: error.description)
        }
        _ = try MailOutbox(client: client, database: database).enqueue(
            id: "confirm-\(token.id)",
            mail,
            now: now,
            notAfter: token.expiresAt
        )
    }
}
