import WaybillEncoding
import WaybillMongo

/// Writes what stands in a document as JSON.
enum BSONText {
    /// Deeper ones are refused by whoever reads the JSON.
    private static let depth = 32

    /// - Parameters:
    ///   - value: of the document.
    ///   - name: of the field, for what is said of it.
    ///   - hasSeconds: whether a date becomes a whole number of seconds since 1970; else it becomes a text.
    ///   - json: takes it as an element, or as the value of the name before it.
    /// - Throws: where a value has no form in JSON.
    static func append(
        _ value: BSONValue,
        name: String,
        hasSeconds: Bool = false,
        to json: inout JSONWriter
    ) throws(PostedRefusal) {
        try append(value, name, hasSeconds, 0, &json)
    }

    private static func append(
        _ value: BSONValue,
        _ name: String,
        _ hasSeconds: Bool,
        _ level: Int,
        _ json: inout JSONWriter
    ) throws(PostedRefusal) {
        guard level < depth else { throw PostedRefusal(name, "is nested deeper than \(depth) levels") }
        switch value {
        case .string(let text): json.element(text)
        case .int(let number): json.element(number)
        case .double(let number) where number.isFinite: json.element(number)
        case .bool(let flag): json.element(flag)
        case .null: json.null()
        case .date(let time):
            if hasSeconds { json.element(time / 1000) } else { json.element(TimeText.text(milliseconds: time)) }
        case .document(let document):
            json.beginObject()
            for (key, value) in document.fields {
                json.name(key)
                try append(value, "\(name).\(key)", hasSeconds, level + 1, &json)
            }
            json.endObject()
        case .array(let elements):
            json.beginArray()
            for value in elements.values { try append(value, name, hasSeconds, level + 1, &json) }
            json.endArray()
        case .double, .uuid, .binary, .other: throw PostedRefusal(name, "holds a value that JSON has no form for")
        }
    }
}
