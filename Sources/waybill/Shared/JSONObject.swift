import WaybillCore
import WaybillEncoding

/// One line of JSON on standard output, its members in the order in which they are added.
struct JSONObject {
    enum Value {
        case text(String)
        case integer(Int)
        case number(Double)
        case bool(Bool)
        case object(JSONObject)
        case texts([String])
        case objects([JSONObject])
    }

    private var members: [(name: String, value: Value)] = []

    init() {}

    /// Adds a member; an absent value adds none.
    mutating func add(_ name: String, _ value: String?) { add(name, value.map(Value.text)) }
    mutating func add(_ name: String, _ value: Int?) { add(name, value.map(Value.integer)) }
    mutating func add(_ name: String, _ value: Double?) { add(name, value.map(Value.number)) }
    mutating func add(_ name: String, _ value: Bool?) { add(name, value.map(Value.bool)) }
    mutating func add(_ name: String, _ value: JSONObject?) { add(name, value.map(Value.object)) }

    mutating func add(_ name: String, _ values: [String]) { add(name, Value.texts(values)) }
    mutating func add(_ name: String, _ values: [JSONObject]) { add(name, Value.objects(values)) }

    private mutating func add(_ name: String, _ value: Value?) {
        if let value { members.append((name, value)) }
    }

    /// The object as text.
    var text: String {
        var bytes: [UInt8] = []
        append(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func append<Element>(
        _ elements: [Element],
        to bytes: inout [UInt8],
        _ appendElement: (Element, inout [UInt8]) -> Void
    ) {
        bytes.append(UInt8(ascii: "["))
        for (position, element) in elements.enumerated() {
            if position > 0 { bytes.append(UInt8(ascii: ",")) }
            appendElement(element, &bytes)
        }
        bytes.append(UInt8(ascii: "]"))
    }

    private func append(to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "{"))
        for (position, member) in members.enumerated() {
            if position > 0 { bytes.append(UInt8(ascii: ",")) }
            JSONText.appendString(member.name.utf8, to: &bytes)
            bytes.append(UInt8(ascii: ":"))
            switch member.value {
            case .text(let text): JSONText.appendString(text.utf8, to: &bytes)
            case .integer(let number): bytes += String(number).utf8
            case .number(let number): bytes += String(number).utf8
            case .bool(let flag): bytes += (flag ? "true" : "false").utf8
            case .object(let object): object.append(to: &bytes)
            case .texts(let texts): Self.append(texts, to: &bytes) { JSONText.appendString($0.utf8, to: &$1) }
            case .objects(let objects): Self.append(objects, to: &bytes) { $0.append(to: &$1) }
            }
        }
        bytes.append(UInt8(ascii: "}"))
    }
}
