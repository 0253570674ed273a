import FoundationEssentials
import WaybillEncoding

/// A piece of JSON that has been checked: custom keys, or the state and attributes of a Live Activity.
///
/// From an `Encodable` value, or from the bytes of an encoder of the caller's own:
///
///     let state = try APNSJSON(encoding: AdventureState(health: 0.5))
///     let keys = try APNSJSON(bytes: myEncoder.encode(order))
public struct APNSJSON: Hashable, Sendable {
    /// The JSON text in UTF-8, without white space around it.
    public let bytes: [UInt8]

    /// Encodes a value as `JSONEncoder` does without settings, with the keys in order and slashes as they are.
    ///
    /// A Live Activity's state and attributes are decoded on the device without settings as well (Apple, "Starting and
    /// updating Live Activities with ActivityKit push notifications"): a `Date` is sent as seconds since 2001.
    ///
    /// - Throws: ``APNSError`` with ``APNSError/Code/invalidNotification`` when the value cannot be encoded, a number
    ///   that is not finite for instance.
    public init(encoding value: some Encodable) throws(APNSError) {
        try self.init(encoding: value, for: "json")
    }

    /// Encodes a value; a refusal names the field.
    init(encoding value: some Encodable, for field: String) throws(APNSError) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            bytes = Array(try encoder.encode(value))
        } catch let EncodingError.invalidValue(_, context) {
            // Only the path: the value may be personal.
            let path = context.codingPath.map(\.stringValue).joined(separator: ".")
            throw .invalid(field, "cannot be encoded" + (path.isEmpty ? "" : ", at \(path)"))
        } catch {
            throw .invalid(field, "cannot be encoded: \(type(of: error))")
        }
    }

    /// Takes JSON text in UTF-8.
    ///
    /// - Throws: ``APNSError`` with ``APNSError/Code/invalidNotification`` when it is not JSON as RFC 8259 has it.
    public init(bytes: some Sequence<UInt8>) throws(APNSError) {
        let text = Array(bytes)
        do {
            let value = try JSONReader.value(of: text)
            self.bytes = value == text.indices ? text : Array(text[value])
        } catch {
            throw .invalid("json", "is no JSON from byte \(error.offset) on")
        }
    }

    /// Takes JSON text.
    ///
    /// - Throws: ``APNSError`` with ``APNSError/Code/invalidNotification`` when it is not JSON as RFC 8259 has it.
    public init(_ text: String) throws(APNSError) {
        try self.init(bytes: text.utf8)
    }

    /// Whether it is an object rather than an array, a string, a number or a literal.
    public var isObject: Bool { bytes.first == UInt8(ascii: "{") }

    /// Whether it is the literal `null`.
    var isNull: Bool { bytes.first == UInt8(ascii: "n") }
}

extension APNSJSON: CustomStringConvertible, CustomReflectable {
    /// The size only: the text may hold personal data.
    public var description: String { "JSON of \(bytes.count) bytes" }

    /// Shows what ``description`` does.
    public var customMirror: Mirror { Mirror(self, children: ["size": bytes.count]) }
}

extension JSONWriter {
    mutating func member(_ name: StaticString, _ value: APNSJSON?) {
        if let value { member(name, json: value.bytes) }
    }
}
