import WaybillMongo

/// Which values of a field are wanted: any of some, and none of others; a field that a record lacks is none of them.
///
/// Values are compared byte by byte, as the store does.
package struct TextFilter: Sendable, Hashable {
    /// Any of these; empty for all, also for records without the field.
    package private(set) var values: [String]
    /// None of these; empty for none.
    ///
    /// A record without the field is none of them.
    package private(set) var excluded: [String]

    /// Everything.
    package static let all = TextFilter()

    package init(_ values: [String] = [], excluding excluded: [String] = []) {
        self.values = values
        self.excluded = excluded
    }

    package var isEmpty: Bool { values.isEmpty && excluded.isEmpty }

    /// Adds what somebody has typed: `shop`, or `!shop` for all but that.
    ///
    /// A value that begins with `!` itself has a backslash in front, as in `\!shop`; so has one that begins with `\!` or `\\`.
    ///
    /// - Returns: `false` for a text without a value, which changes nothing.
    package mutating func add(_ text: String) -> Bool {
        let isExcluded = text.utf8.first == UInt8(ascii: "!")
        var value = isExcluded ? text.utf8.dropFirst() : text.utf8[...]
        if !isExcluded, value.starts(with: #"\!"#.utf8) || value.starts(with: #"\\"#.utf8) { value = value.dropFirst() }
        guard !value.isEmpty else { return false }
        if isExcluded { excluded.append("\(Substring(value))") } else { values.append("\(Substring(value))") }
        return true
    }

    /// A value that is asked for and left out, where nothing else is asked for: then nothing matches.
    package var contradiction: String? {
        func isExcluded(_ value: String) -> Bool { excluded.contains { $0.utf8.elementsEqual(value.utf8) } }
        return values.allSatisfy(isExcluded) ? values.first : nil
    }

    /// Whether a record with this value is wanted; `nil` for one without the field.
    func includes(_ found: String?) -> Bool {
        func isFound(_ value: String) -> Bool { found.map { $0.utf8.elementsEqual(value.utf8) } ?? false }
        return (values.isEmpty || values.contains(where: isFound)) && !excluded.contains(where: isFound)
    }

    /// Appends the condition on a field, if there is one.
    func append(_ field: StaticString, to writer: BSONWriter) {
        guard !isEmpty else { return }
        // One value has the form by which the server's plans, and earlier cursors, know it.
        if values.count == 1, excluded.isEmpty { return writer.append(field, string: values[0]) }
        writer.append(
            field,
            document: { condition in
                if !values.isEmpty { Self.append("$in", values, to: condition) }
                if !excluded.isEmpty { Self.append("$nin", excluded, to: condition) }
            }
        )
    }

    private static func append(_ name: StaticString, _ values: [String], to writer: BSONWriter) {
        writer.append(name, array: { array in for value in values { array.append(string: value) } })
    }
}

extension TextFilter: ExpressibleByStringLiteral {
    /// That value alone, whatever it begins with.
    package init(stringLiteral value: String) { self.init([value]) }
}
