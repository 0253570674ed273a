/// Finds the members of a JSON object, in a text of any size and depth.
///
/// For texts that callers bring along or a server answers with: strict as ``JSONScanner`` is, but without its limit of
/// depth, and each member is out before the next one is read, so that what stands before a fault can be used.
///
/// The bytes must outlive the reader and not change.
package struct JSONReader {
    /// One member of an object.
    package struct Member: Hashable {
        /// The name with its escapes resolved; half surrogate pairs are U+FFFD.
        package let name: String
        /// Where the value stands.
        package let value: Range<Int>
        /// The name, or a string in the value, holds half of a surrogate pair: text that has no UTF-8.
        package var hasLoneSurrogate = false
    }

    private var scanner: JSONScanner
    private var isFirst = true
    /// Whether something since the last member's name holds half of a surrogate pair.
    private var hasLoneSurrogate = false
    /// The member whose value holds the fault that ended the reading: from there on to the end of the text.
    package private(set) var unfinished: Member?

    /// Creates a reader at the start of an object.
    package init(_ bytes: UnsafeBufferPointer<UInt8>) {
        scanner = JSONScanner(bytes, maxDepth: JSONScanner.depthCeiling)
    }

    /// The object's next member; `nil` at its end.
    ///
    /// - Throws: what is no object, and whatever goes wrong up to the end of the member's value. The reader must not be
    ///   used afterwards.
    package mutating func nextMember() throws(JSONFault) -> Member? {
        if isFirst { try scanner.beginObject() }
        guard let key = try scanner.nextKey(isFirst: isFirst) else { return nil }
        isFirst = false
        let name = Self.text(scanner.bytes, key)
        unfinished = Member(name: name, value: scanner.position..<scanner.bytes.count)
        let value = try skipValue()
        // A number that the text ends in may have been cut off: an object goes on behind it.
        if UInt8(ascii: "0")...UInt8(ascii: "9") ~= scanner.bytes[value.upperBound - 1] { _ = try scanner.peek() }
        unfinished = nil
        return Member(name: name, value: value, hasLoneSurrogate: hasLoneSurrogate || key.hasLoneSurrogate)
    }

    /// The text of a member's value; `nil` when it is no string.
    package func string(_ member: Member) -> String? {
        guard scanner.bytes[member.value.lowerBound] == UInt8(ascii: "\"") else { return nil }
        var value = JSONValue(kind: .string, start: member.value.lowerBound, end: member.value.upperBound)
        value.hasEscapes = scanner.bytes[member.value].contains(UInt8(ascii: "\\"))
        return Self.text(scanner.bytes, value)
    }

    /// A member's value; `nil` when it is no number without fraction and exponent, or needs more than 64 bits.
    package func integer(_ member: Member) -> Int64? {
        Int64(String(decoding: scanner.bytes[member.value], as: UTF8.self))
    }

    /// What there is of an ``unfinished`` string, as it stands; `nil` when the value is no string.
    package func beginning(of member: Member) -> String? {
        let text = scanner.bytes[member.value]
        guard text.first == UInt8(ascii: "\"") else { return nil }
        return String(decoding: text.dropFirst(), as: UTF8.self)
    }

    static func text(_ bytes: UnsafeBufferPointer<UInt8>, _ string: JSONValue) -> String {
        let source = UnsafeBufferPointer(rebasing: bytes[string.stringRange])
        guard string.hasEscapes else { return String(decoding: source, as: UTF8.self) }
        var text: [UInt8] = []
        JSONText.appendUnescaped(source, to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    /// Steps over one value; containers that are open are remembered, not recursed into.
    private mutating func skipValue() throws(JSONFault) -> Range<Int> {
        var openObjects: [Bool] = []
        hasLoneSurrogate = false
        _ = try scanner.peek()
        let start = scanner.position
        repeat {
            switch try scanner.peek() {
            case UInt8(ascii: "{"):
                scanner.position += 1
                openObjects.append(true)
                if try scanner.peek() != UInt8(ascii: "}") {
                    try skipName()
                    continue
                }
            case UInt8(ascii: "["):
                scanner.position += 1
                openObjects.append(false)
                if try scanner.peek() != UInt8(ascii: "]") { continue }
            case UInt8(ascii: "\""): if try scanner.string().hasLoneSurrogate { hasLoneSurrogate = true }
            default: _ = try scanner.scalar()
            }
            try closeContainers(&openObjects)
        } while !openObjects.isEmpty
        return start..<scanner.position
    }

    /// After a value, or inside an empty container: closes what ends here, then steps to the next value.
    private mutating func closeContainers(_ openObjects: inout [Bool]) throws(JSONFault) {
        while let isObject = openObjects.last {
            if try scanner.peek() == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
                scanner.position += 1
                openObjects.removeLast()
            } else {
                try scanner.expect(UInt8(ascii: ","))
                if isObject { try skipName() }
                return
            }
        }
    }

    private mutating func skipName() throws(JSONFault) {
        if try scanner.string().hasLoneSurrogate { hasLoneSurrogate = true }
        try scanner.expect(UInt8(ascii: ":"))
    }
}

extension JSONReader {
    /// Checks that a text is one JSON value with nothing but white space around it.
    ///
    /// - Returns: where the value stands.
    package static func value(of bytes: [UInt8]) throws(JSONFault) -> Range<Int> {
        try bytes.withUnsafeBufferPointer { bytes throws(JSONFault) in
            var reader = Self(bytes)
            let value = try reader.skipValue()
            try reader.scanner.finish()
            return value
        }
    }

    /// Checks a text, and lists the members of the object that it is.
    ///
    /// - Returns: the members in their order; `nil` when the text is JSON but no object.
    package static func members(of bytes: [UInt8]) throws(JSONFault) -> [Member]? {
        try members(of: bytes, in: try value(of: bytes))
    }

    /// Lists the members of an object within a text.
    ///
    /// - Returns: the members in their order; `nil` when the value is no object.
    package static func members(of bytes: [UInt8], in range: Range<Int>) throws(JSONFault) -> [Member]? {
        guard !range.isEmpty, bytes[range.lowerBound] == UInt8(ascii: "{") else { return nil }
        return try bytes.withUnsafeBufferPointer { bytes throws(JSONFault) in
            var reader = Self(UnsafeBufferPointer(rebasing: bytes[..<range.upperBound]))
            reader.scanner.position = range.lowerBound
            var members: [Member] = []
            while let member = try reader.nextMember() { members.append(member) }
            return members
        }
    }
}
