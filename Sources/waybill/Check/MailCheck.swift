import WaybillHooks
import WaybillMongo
import WaybillOperations
import WaybillOutbox
import WaybillSettings

/// Looks whether mail would go out, without sending any, and how much waits.
enum MailCheck {
    static func run(_ mail: MailSettings, _ store: StoreSettings) -> [Finding] {
        [reach(mail), outbox(store)].compactMap(\.self)
    }

    private static func reach(_ mail: MailSettings) -> Finding {
        let carrier = MailCarrier(mail.way)
        do {
            try carrier.probe()
            return Finding(.ok, path: "mail", message: "\(carrier.name) takes mail")
        } catch {
            return Finding(.error, .unavailable, path: "mail", message: "\(carrier.name): \(error)")
        }
    }

    /// `nil` while the store does not answer, or has its findings already.
    private static func outbox(_ store: StoreSettings) -> Finding? {
        guard let client = try? store.pool(for: "check").pop(),
            let counts = try? MailOutbox(client: client, database: store.database).counts()
        else { return nil }
        let message = "mails that wait: \(counts.waiting); given up in the last 30 days: \(counts.failed)"
        return Finding(.ok, path: "mail", message: message)
    }
}
