import WaybillMongo

/// A notification as the store has it: what a service said, and whether the broker has it.
///
/// Times are milliseconds since 1970.
package struct NotificationRecord: Hashable, Sendable {
    package let id: String
    package let service: String
    /// As the level is called.
    package let level: String
    package let title: String?
    package let body: String
    package let text: String?
    package let url: String?
    package let collapseID: String?
    /// Until when it was worth being delivered, in seconds since 1970.
    package let expiration: Int64?
    /// The producer's own object, as JSON.
    package let data: String?
    package let at: Int64
    /// Whether the broker has confirmed it.
    package let isSent: Bool
    package let sentAt: Int64?
    /// How many accounts were told, on how many devices, and how many were not told.
    package let recipients: Int
    package let devices: Int
    package let suppressed: Int
    /// The id of the key that it was sent with; `nil`: by the thesis' API.
    package let key: String?
    /// Where it went; `nil` in those of former versions.
    package let lane: String?
    /// Where it went to Android phones; `nil`: it is for none.
    package let fcmLane: String?
    /// Why a dispatcher has rejected a message of it, in the machine's word; `nil`: none has.
    package let rejection: String?

    private typealias Field = NotificationLayout.Field

    /// Reads a document; `nil` for one that no service has said, and one that is not whole.
    init?(_ document: BSONDocument) {
        func text(_ field: StaticString) -> String? { document["\(field)"]?.string }
        func number(_ field: StaticString) -> Int { document["\(field)"]?.amount ?? 0 }
        guard let id = text(Field.id), let service = text(Field.service), let level = text(Field.level),
            let body = text(Field.body), let at = document["\(Field.at)"]?.date
        else { return nil }
        self.id = id
        self.service = service
        self.level = level
        self.body = body
        self.at = at
        title = text(Field.title)
        self.text = text(Field.text)
        url = text(Field.url)
        collapseID = text(Field.collapseID)
        expiration = document["\(Field.expiration)"]?.int
        data = text(Field.data)
        isSent = text(Field.state) == NotificationLayout.State.sent.rawValue
        sentAt = document["\(Field.sentAt)"]?.date
        recipients = number(Field.recipients)
        devices = number(Field.devices)
        suppressed = number(Field.suppressed)
        key = text(Field.key)
        lane = text(Field.lane)
        fcmLane = text(Field.fcmLane)
        rejection = text(Field.rejection)
    }
}
