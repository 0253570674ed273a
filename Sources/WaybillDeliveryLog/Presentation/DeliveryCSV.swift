import WaybillCore
import WaybillEncoding
import WaybillMongo

/// Writes a record as a line of CSV (RFC 4180): always the same columns, an absent value is empty.
///
/// The history of attempts and the waits for the lane have no column, and `family` is the id of the notification that a repeat
/// sends again. `apns_id` is never empty where a record has an id: it is the one that its push was sent under, mostly `_id`
/// itself.
package enum DeliveryCSV {
    /// The columns' names: the fields of the schema; new ones come at the end.
    package static let columns: [String] = [
        Field.id, Field.givenID, Field.date, Field.outcome, Field.statusCode, Field.reason, Field.deviceToken,
        Field.batchID, Field.position, Field.client, Field.lane, Field.topic, Field.pushType, Field.priority,
        Field.expiration, Field.maxAge, Field.collapseID, Field.attempts, Field.latency, Field.queued,
        Field.invalidSince, Field.isRepeat, Field.expiresAt, Field.fingerprint, Field.message,
        Field.serviceID, Field.provider, Field.providerID, Field.family, Field.pushTypeFrom, Field.expirationFrom,
        Field.due, Field.pass,
    ].map { "\($0)" }

    /// The first line, with its line break.
    package static let header = columns.joined(separator: ",") + "\r\n"

    /// A record's line, with its line break.
    package static func line(_ delivery: LoggedDelivery, tokens: DeliveryJSON.Tokens = .whole) -> String {
        var values: [String: BSONValue] = [:]
        for (key, value) in delivery.document.fields { values[key] = value }
        // A record has the field only where its key is another one; who sorts a table by the column wants it in each row.
        values["\(Field.givenID)"] = values["\(Field.givenID)"] ?? values["\(Field.id)"]
        values["\(Field.family)"] = values["\(Field.family)"]?.document?["\(Field.first)"]
        if tokens == .lastFour, let token = values["\(Field.deviceToken)"]?.string {
            values["\(Field.deviceToken)"] = .string(DeliveryJSON.lastFour(of: token))
        }
        return columns.map { values[$0].map(text) ?? "" }.joined(separator: ",") + "\r\n"
    }

    private static func text(_ value: BSONValue) -> String {
        switch value {
        case .string(let string): CSVText.cell(string)
        case .int(let number): "\(number)"
        case .double(let number): "\(number)"
        case .bool(let bool): bool ? "true" : "false"
        case .date(let milliseconds): TimeText.text(milliseconds: milliseconds)
        case .uuid(let high, let low): NotificationID(high: high, low: low).description
        // No field of a record is of another type.
        case .null, .document, .array, .binary, .other: ""
        }
    }
}
