import WaybillEncoding

/// Looking into an object that goes out as it stands.
extension ItemReader {
    /// Calls with the name and the value of each member of an object in the body, in their order.
    ///
    /// - Parameters:
    ///   - range: where the object stands; the body was read once, so its JSON is in order.
    ///   - body: gets the name's bytes, in the body's own form, and the value, counted from the body's start.
    /// - Throws: what the closure throws.
    func forEachMember(
        in range: Range<Int>,
        _ body: (_ name: JSONValue, _ value: JSONValue) throws(ItemFault) -> Void
    ) throws(ItemFault) {
        var scanner = JSONScanner(UnsafeBufferPointer(rebasing: bytes[..<range.upperBound]), maxDepth: .max)
        scanner.position = range.lowerBound
        guard (try? scanner.beginObject()) != nil else { return }
        var isFirst = true
        while let name = (try? scanner.nextKey(isFirst: isFirst)) ?? nil, let value = try? scanner.value() {
            isFirst = false
            try body(name, value)
        }
    }

    /// Refuses an object that has two members of one name: of two, each reader could take either.
    ///
    /// - Parameters:
    ///   - object: what was found to be sound JSON; anything but an object passes.
    ///   - setting: the field that is refused, by what holds it.
    /// - Throws: which name it is.
    func requireNamesOnce(_ object: JSONValue, of setting: Setting) throws(ItemFault) {
        // Mostly the scanner knows that no name is there twice.
        guard object.kind == .object, object.mayHaveNameTwice else { return }
        var places: [[UInt8]: Range<Int>] = [:]
        try forEachMember(in: object.range) { (name, _) throws(ItemFault) in
            let text = unescaped(name)
            if let first = places[text] { throw setting.fault(.nameTwice(first)) }
            places[text] = name.stringRange
        }
    }

    /// The same of an object that is `payload`, or stands in it.
    func requireNamesOnce(_ object: JSONValue) throws(ItemFault) {
        try requireNamesOnce(object, of: Setting(field: .payload, value: object, isDefault: false))
    }

    /// Where the value of a member stands; `nil` where an object has none of the name.
    func member(_ name: StaticString, in range: Range<Int>) -> Range<Int>? {
        var found: Range<Int>?
        try? forEachMember(in: range) { (key, value) throws(ItemFault) in
            if isName(key, name) { found = value.range }
        }
        return found
    }

    /// Whether a member is this string, without escapes.
    func isString(_ text: StaticString, at name: StaticString, in range: Range<Int>) -> Bool {
        guard let value = member(name, in: range), bytes[value.lowerBound] == UInt8(ascii: "\"") else { return false }
        return text.hasBytes(UnsafeBufferPointer(rebasing: bytes[value.lowerBound + 1..<value.upperBound - 1]))
    }

    /// Whether a member has this name.
    func isName(_ key: JSONValue, _ name: StaticString) -> Bool {
        let source = UnsafeBufferPointer(rebasing: bytes[key.stringRange])
        guard key.hasEscapes else { return name.hasBytes(source) }
        var text: [UInt8] = []
        JSONText.appendUnescaped(source, to: &text)
        return text.withUnsafeBufferPointer { name.hasBytes($0) }
    }
}
