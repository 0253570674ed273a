import WaybillAPNS
import WaybillCore
import WaybillEncoding
import WaybillMongo

/// Writes a record as one line of JSON: the fields as the log holds them, in their order.
///
/// Dates become RFC 3339 text in UTC with milliseconds, ids their canonical text
/// (`schemas/delivery-record.schema.json`).
package enum DeliveryJSON {
    /// One JSON object, without a line break.
    package static func line(_ delivery: DeliveryDocument) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(512)
        append(delivery.fields, to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    /// One JSON object with an outcome and its count, without a line break.
    package static func line(_ count: OutcomeCount) -> String {
        var text: [UInt8] = []
        text.append(contentsOf: "{\"outcome\":".utf8)
        append(string: count.outcome, to: &text)
        text.append(contentsOf: ",\"count\":\(count.count)}".utf8)
        return String(decoding: text, as: UTF8.self)
    }

    private static func append(_ document: BSONDocument, to text: inout [UInt8]) {
        text.append(UInt8(ascii: "{"))
        var isFirst = true
        for (key, value) in document.fields {
            if !isFirst { text.append(UInt8(ascii: ",")) }
            isFirst = false
            append(string: key, to: &text)
            text.append(UInt8(ascii: ":"))
            append(value, to: &text)
        }
        text.append(UInt8(ascii: "}"))
    }

    private static func append(_ value: BSONValue, to text: inout [UInt8]) {
        switch value {
        case .string(let string): append(string: string, to: &text)
        case .int(let number): text.append(contentsOf: String(number).utf8)
        // JSON has no infinities; the log never holds one.
        case .double(let number): text.append(contentsOf: number.isFinite ? String(number).utf8 : "null".utf8)
        case .bool(let bool): text.append(contentsOf: bool ? "true".utf8 : "false".utf8)
        case .null: text.append(contentsOf: "null".utf8)
        case .date(let milliseconds):
            text.append(UInt8(ascii: "\""))
            text.append(contentsOf: TimeText.text(milliseconds: milliseconds).utf8)
            text.append(UInt8(ascii: "\""))
        case .uuid(let high, let low): append(string: APNSID(high: high, low: low).description, to: &text)
        case .document(let document): append(document, to: &text)
        case .array(let array):
            text.append(UInt8(ascii: "["))
            for (position, element) in array.values.enumerated() {
                if position > 0 { text.append(UInt8(ascii: ",")) }
                append(element, to: &text)
            }
            text.append(UInt8(ascii: "]"))
        case .binary(_, let bytes):
            append(string: bytes.map { String(UInt16($0) + 0x100, radix: 16).dropFirst() }.joined(), to: &text)
        case .other(let type): append(string: "BSON type \(type)", to: &text)
        }
    }

    private static func append(string: String, to text: inout [UInt8]) {
        JSONText.appendString(string.utf8, to: &text)
    }
}
