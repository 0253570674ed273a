import WaybillCore
import WaybillEncoding
import WaybillMongo

/// Writes a record as one line of JSON: the fields as the log holds them, in their order.
///
/// Dates become RFC 3339 text in UTC with milliseconds, ids their canonical text
/// (`schemas/delivery-record.schema.json`).
package enum DeliveryJSON {
    /// How much of a device token is shown.
    package enum Tokens: Sendable {
        case whole
        /// What people compare, and nobody can push to.
        case lastFour
    }

    /// One JSON object, without a line break.
    package static func line(_ delivery: LoggedDelivery, tokens: Tokens = .whole) -> String {
        var json = JSONWriter(capacity: 512)
        json.beginObject()
        for (key, value) in delivery.document.fields {
            json.name(key)
            if tokens == .lastFour, key == "\(Field.deviceToken)" {
                json.element(lastFour(of: value.string ?? ""))
            } else {
                append(value, to: &json)
            }
        }
        json.endObject()
        return String(decoding: json.bytes, as: UTF8.self)
    }

    /// One JSON object with records and the cursor of those behind them.
    ///
    /// - Parameters:
    ///   - deliveries: the records.
    ///   - tokens: how device tokens are shown.
    ///   - order: what they are ordered by; `nil` leaves it out.
    ///   - next: the cursor; `nil` behind the last record.
    ///   - hint: why there may be none, in words.
    /// - Returns: the object.
    package static func page(
        _ deliveries: [LoggedDelivery],
        tokens: Tokens,
        order: DeliveryPage.Order? = nil,
        next: String?,
        hint: String? = nil
    ) -> [UInt8] {
        var json = JSONWriter(capacity: 512 * (deliveries.count + 1))
        json.beginObject()
        json.beginArray("deliveries")
        for delivery in deliveries { json.element(json: line(delivery, tokens: tokens).utf8) }
        json.endArray()
        json.member("order", order?.rawValue)
        json.member("next", next)
        json.member("hint", hint)
        json.endObject()
        return json.bytes
    }

    /// Of a text that is hardly longer, nothing is shown.
    package static func lastFour(of token: String) -> String { token.count > 8 ? "…\(token.suffix(4))" : "…" }

    /// One JSON object with an outcome and its count, without a line break.
    package static func line(_ count: OutcomeCount) -> String {
        var json = JSONObject()
        json.add("outcome", count.outcome)
        json.add("count", count.count)
        return json.text
    }

    private static func append(_ document: BSONDocument, to json: inout JSONWriter) {
        json.beginObject()
        for (key, value) in document.fields {
            json.name(key)
            append(value, to: &json)
        }
        json.endObject()
    }

    private static func append(_ value: BSONValue, to json: inout JSONWriter) {
        switch value {
        case .string(let string): json.element(string)
        case .int(let number): json.element(number)
        case .double(let number): json.element(number)
        case .bool(let bool): json.element(bool)
        case .null: json.null()
        case .date(let milliseconds): json.element(TimeText.text(milliseconds: milliseconds))
        case .uuid(let high, let low): json.element(NotificationID(high: high, low: low).description)
        case .document(let document): append(document, to: &json)
        case .array(let array):
            json.beginArray()
            for element in array.values { append(element, to: &json) }
            json.endArray()
        case .binary(_, let bytes): json.element(Hexadecimal.text(of: bytes))
        case .other(let type): json.element("BSON type \(type)")
        }
    }
}
