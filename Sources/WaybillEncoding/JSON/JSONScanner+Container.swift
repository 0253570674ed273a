extension JSONScanner {
    /// Steps over an object or array with everything in it, without recursion.
    ///
    /// Names may repeat: what passes here is somebody else's and stays as it is.
    @inlinable
    package mutating func container() throws(JSONFault) -> JSONValue {
        let start = position
        var hasLoneSurrogate = false
        // One bit for each open level: 1 for an object. The topmost level is the lowest bit.
        var objects: UInt64 = 0
        var levels = 0
        repeat {
            // At a value.
            switch try peek() {
            case UInt8(ascii: "{"):
                try open(&objects, &levels, isObject: true)
                if try peek() != UInt8(ascii: "}") {
                    if try memberName() { hasLoneSurrogate = true }
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
                    if isObject, try memberName() { hasLoneSurrogate = true }
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
        return value
    }

    @inlinable
    mutating func open(_ objects: inout UInt64, _ levels: inout Int, isObject: Bool) throws(JSONFault) {
        levels += 1
        guard depth + levels <= maxDepth else { throw fault(.tooDeep) }
        objects = objects << 1 | (isObject ? 1 : 0)
        position += 1
    }

    /// A name and its colon; whether the name holds half of a surrogate pair.
    @inlinable
    mutating func memberName() throws(JSONFault) -> Bool {
        let name = try string()
        try expect(UInt8(ascii: ":"))
        return name.hasLoneSurrogate
    }
}
