/// One JSON object on one line, its members in the order in which they are added.
///
/// For reports of commands; what is large, or is not an object, goes to a ``JSONWriter``.
package struct JSONObject {
    private var writer = JSONWriter()

    package init() {
        writer.beginObject()
    }

    /// Adds a member; an absent value adds none.
    package mutating func add(_ name: String, _ value: String?) {
        guard let value else { return }
        writer.name(name)
        writer.element(value)
    }

    package mutating func add(_ name: String, _ value: Int?) {
        guard let value else { return }
        writer.name(name)
        writer.element(value)
    }

    package mutating func add(_ name: String, _ value: Double?) {
        guard let value else { return }
        writer.name(name)
        writer.element(value)
    }

    package mutating func add(_ name: String, _ value: Bool?) {
        guard let value else { return }
        writer.name(name)
        writer.element(value)
    }

    package mutating func add(_ name: String, _ value: JSONObject?) {
        guard let value else { return }
        writer.name(name)
        writer.element(json: value.text.utf8)
    }

    package mutating func add(_ name: String, _ values: [String]) {
        writer.name(name)
        writer.beginArray()
        for value in values { writer.element(value) }
        writer.endArray()
    }

    package mutating func add(_ name: String, _ values: [JSONObject]) {
        writer.name(name)
        writer.beginArray()
        for value in values { writer.element(json: value.text.utf8) }
        writer.endArray()
    }

    /// The object as text.
    package var text: String {
        String(decoding: writer.bytes, as: UTF8.self) + "}"
    }
}
