extension JSONScanner {
    /// Steps over an object or array with everything in it, without recursion.
    ///
    /// Names may repeat, for what passes here may be somebody else's: of the outermost object the value says whether they may do so.
    @inlinable
    package mutating func container() throws(JSONFault) -> JSONValue {
        let start = position
        var hasLoneSurrogate = false
        var mayHaveNameTwice = false
        // One bit for each mark that a name of the outermost object has.
        var marks: UInt64 = 0
        // One bit for each open level: 1 for an object. The topmost level is the lowest bit.
        var objects: UInt64 = 0
        var levels = 0
        repeat {
            // At a value.
            switch try peek() {
            case UInt8(ascii: "{"):
                try open(&objects, &levels, isObject: true)
                if try peek() != UInt8(ascii: "}") {
                    let name = try memberName()
                    if name.hasLoneSurrogate { hasLoneSurrogate = true }
                    if levels == 1, !note(name, &marks) { mayHaveNameTwice = true }
                    continue
                }
            case UInt8(ascii: "["):
                try open(&objects, &levels, isObject: false)
                if try peek() != UInt8(ascii: "]") { continue }
            case UInt8(ascii: "\""):
                if try string().hasLoneSurrogate { hasLoneSurrogate = true }
            default: _ = try scalar()
            }
            // After a value, or inside an empty container: close what ends here, then step to the next value.
            while levels > 0 {
                let isObject = objects & 1 == 1
                let byte = try peek()
                if byte == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
                    position += 1
                    objects >>= 1
                    levels -= 1
                } else {
                    try expect(UInt8(ascii: ","))
                    guard isObject else { break }
                    let name = try memberName()
                    if name.hasLoneSurrogate { hasLoneSurrogate = true }
                    if levels == 1, !note(name, &marks) { mayHaveNameTwice = true }
                    break
                }
            }
        } while levels > 0
        var value = JSONValue(
            kind: bytes[start] == UInt8(ascii: "{") ? .object : .array,
            start: start,
            end: position
        )
        value.hasLoneSurrogate = hasLoneSurrogate
        value.mayHaveNameTwice = mayHaveNameTwice
        return value
    }

    @inlinable
    mutating func open(_ objects: inout UInt64, _ levels: inout Int, isObject: Bool) throws(JSONFault) {
        levels += 1
        guard depth + levels <= maxDepth else { throw fault(.tooDeep) }
        objects = objects << 1 | (isObject ? 1 : 0)
        position += 1
    }

    /// A name and its colon.
    @inlinable
    mutating func memberName() throws(JSONFault) -> JSONValue {
        let name = try string()
        try expect(UInt8(ascii: ":"))
        return name
    }

    /// Takes the mark of a name, which its length and its ends make; `false` where another name has it, or where escapes hide the name.
    ///
    /// Equal names have equal marks. Few others have: only then somebody compares them.
    @inlinable
    func note(_ name: JSONValue, _ marks: inout UInt64) -> Bool {
        let text = name.stringRange
        let ends = text.isEmpty ? 0 : UInt64(bytes[text.lowerBound]) &* 7 &+ UInt64(bytes[text.upperBound - 1])
        let mark: UInt64 = 1 &<< (UInt64(text.count) &* 31 &+ ends)
        defer { marks |= mark }
        return marks & mark == 0 && !name.hasEscapes
    }
}
