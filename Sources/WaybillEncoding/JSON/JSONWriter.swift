/// Writes JSON (RFC 8259) in the order of the calls, with no white space.
///
/// The caller says what begins and ends; commas and escapes come by themselves. A member whose value is `nil` writes
/// nothing, name included.
package struct JSONWriter {
    /// What has been written.
    package private(set) var bytes: [UInt8] = []
    /// Whether a member or an element stands before the next one.
    private var needsComma = false

    package init(capacity: Int = 256) {
        bytes.reserveCapacity(capacity)
    }

    // MARK: - Frame

    /// Begins an object: a member with this name, an element, or the text itself.
    package mutating func beginObject(_ name: StaticString? = nil) {
        if let name { append(name: name) }
        open(UInt8(ascii: "{"))
    }

    package mutating func endObject() { close(UInt8(ascii: "}")) }

    /// Begins an array: a member with this name, an element, or the text itself.
    package mutating func beginArray(_ name: StaticString? = nil) {
        if let name { append(name: name) }
        open(UInt8(ascii: "["))
    }

    package mutating func endArray() { close(UInt8(ascii: "]")) }

    // MARK: - Members with a name of this program

    package mutating func member(_ name: StaticString, _ value: String?) {
        guard let value else { return }
        append(name: name)
        element(value)
    }

    /// Writes a string with whatever a terminal acts on escaped.
    package mutating func member(_ name: StaticString, lineSafe value: String) {
        append(name: name)
        element(lineSafe: value)
    }

    package mutating func member(_ name: StaticString, _ value: [String]?) {
        guard let value else { return }
        beginArray(name)
        for text in value { element(text) }
        endArray()
    }

    package mutating func member(_ name: StaticString, _ value: (some FixedWidthInteger)?) {
        guard let value else { return }
        append(name: name)
        element(value)
    }

    /// Writes a finite number: JSON has no others.
    package mutating func member(_ name: StaticString, _ value: Double?) {
        guard let value else { return }
        append(name: name)
        element(value)
    }

    /// Writes 1 for true, and nothing for false.
    package mutating func flag(_ name: StaticString, _ value: Bool) {
        if value { member(name, 1) }
    }

    /// Writes the word `true`.
    package mutating func memberTrue(_ name: StaticString) {
        append(name: name)
        element(true)
    }

    /// Appends a member whose value is JSON already.
    package mutating func member(_ name: StaticString, json value: some Collection<UInt8>) {
        append(name: name)
        element(json: value)
    }

    /// Appends members that are JSON already, the text between an object's braces.
    package mutating func members(_ text: some Collection<UInt8>) {
        if !text.isEmpty { element(json: text) }
    }

    // MARK: - Any name, any value

    /// Writes a member's name; its value comes next.
    package mutating func name(_ name: some StringProtocol) {
        element(name)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// Writes a member's name with whatever a terminal acts on escaped.
    package mutating func name(lineSafe name: some StringProtocol) {
        element(lineSafe: name)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// Writes a string: an element, or the value of the name before it.
    package mutating func element(_ value: some StringProtocol) {
        separate()
        JSONText.appendString(value.utf8, to: &bytes)
    }

    /// Writes a string with whatever a terminal acts on escaped (``JSONText/appendLineSafeString(_:to:)``).
    package mutating func element(lineSafe value: some StringProtocol) {
        separate()
        JSONText.appendLineSafeString(value, to: &bytes)
    }

    package mutating func element(_ value: some FixedWidthInteger) {
        separate()
        bytes.append(contentsOf: String(value).utf8)
    }

    /// Writes the shortest text that reads back as the same number, whole numbers without a point; `null` for what is not
    /// finite, for JSON has no such numbers.
    package mutating func element(_ value: Double) {
        guard value.isFinite else { return null() }
        separate()
        bytes.append(contentsOf: (Int64(exactly: value).map { String($0) } ?? "\(value)").utf8)
    }

    package mutating func element(_ value: Bool) {
        separate()
        bytes.append(contentsOf: (value ? "true" : "false").utf8)
    }

    package mutating func null() {
        separate()
        bytes.append(contentsOf: "null".utf8)
    }

    /// Appends what is JSON already.
    package mutating func element(json value: some Collection<UInt8>) {
        separate()
        bytes.append(contentsOf: value)
    }

    // MARK: - Parts

    private mutating func open(_ bracket: UInt8) {
        separate()
        bytes.append(bracket)
        needsComma = false
    }

    private mutating func close(_ bracket: UInt8) {
        bytes.append(bracket)
        needsComma = true
    }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
    }

    /// The names of this program are constants and need no escaping.
    private mutating func append(name: StaticString) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        name.withUTF8Buffer { bytes.append(contentsOf: $0) }
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }
}
