import WaybillAccounts
import WaybillDeliveryLog
import WaybillEncoding
import WaybillNotifications

/// Notifications as people's apps and producers read them.
enum NoticeJSON {
    /// Writes the members of a notification, and what it is to whoever reads.
    ///
    /// - Parameters:
    ///   - record: the notification.
    ///   - receipt: what it is to the person who reads; `nil`: for a key, and for one whom it was not for.
    ///   - json: where to.
    static func members(_ record: NotificationRecord, _ receipt: Receipt?, to json: inout JSONWriter) {
        json.member("id", record.id)
        json.member("service", record.service)
        json.member("level", record.level)
        json.member("title", record.title)
        json.member("body", record.body)
        json.member("text", record.text)
        json.member("url", record.url)
        json.member("collapse_id", record.collapseID)
        json.member("expiration", record.expiration.map { TimeText.text(milliseconds: $0 * 1000) })
        // A former release took numbers that many readers refuse, and a whole list with them.
        if let data = record.data, JSONReader.hasFiniteNumbers(data.utf8) { json.member("data", json: data.utf8) }
        json.member("at", time(record.at))
        guard let receipt else { return }
        json.beginObject("receipt")
        members(receipt, to: &json)
        json.endObject()
    }

    static func members(_ receipt: Receipt, to json: inout JSONWriter) {
        json.member("state", receipt.state)
        json.member("reason", receipt.suppressed?.rawValue)
        json.member("read_at", receipt.readAt.map(time))
        json.member("acknowledged_at", receipt.acknowledgedAt.map(time))
    }

    /// Writes how far it is.
    static func state(_ record: NotificationRecord, _ tally: NoticeTally, to json: inout JSONWriter) {
        let state = tally.state(of: record)
        json.member("state", state.rawValue)
        if state == .failed { json.member("reason", record.rejection) }
        json.member("sent_at", record.sentAt.map(time))
    }

    /// Writes for how many it is, and how its deliveries have ended.
    static func counts(_ record: NotificationRecord, _ tally: NoticeTally, to json: inout JSONWriter) {
        json.member("recipients", record.recipients)
        json.member("suppressed", record.suppressed)
        json.member("devices", record.devices)
        json.beginObject("outcomes")
        for (outcome, count) in tally.outcomes {
            json.name(outcome)
            json.element(count)
        }
        json.endObject()
    }

    /// Writes records of the delivery log, with the last four digits of their tokens.
    static func list(_ deliveries: [LoggedDelivery], to json: inout JSONWriter) {
        json.beginArray("deliveries")
        for delivery in deliveries { json.element(json: DeliveryJSON.line(delivery, tokens: .lastFour).utf8) }
        json.endArray()
    }

    static func time(_ milliseconds: Int64) -> String { TimeText.text(milliseconds: milliseconds) }
}
