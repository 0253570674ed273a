import WaybillMongo

/// The name of a batch, as somebody looks for it.
package struct BatchName: Hashable, Sendable {
    package var name: String
    /// Whether the parts `NAME.1`, `NAME.2` and so on are meant too: `waybill send` names the messages of a large input
    /// so.
    package var includesParts: Bool

    package init(_ name: String, includesParts: Bool = true) {
        self.name = name
        self.includesParts = includesParts
    }
}

extension BatchName {
    /// Appends the condition on the batch to a filter.
    ///
    /// The range around the parts is what the index is read for; the pattern leaves out names such as `NAME.b` inside
    /// of it.
    func append(to writer: BSONWriter) {
        guard includesParts else { return writer.append(Field.batchID, string: name) }
        writer.append(
            "$or",
            array: { array in
                array.append(document: { $0.append(Field.batchID, string: name) })
                array.append(document: { appendParts(below: nil, to: $0) })
            }
        )
    }

    /// Appends the condition that a record is of a part, and of one whose name comes before another.
    func appendParts(below last: String?, to writer: BSONWriter) {
        writer.append(
            Field.batchID,
            document: { condition in
                condition.append("$gte", string: "\(name).")
                // The character behind the full stop.
                condition.append("$lt", string: last ?? "\(name)/")
                condition.append("$regex", string: pattern)
            }
        )
    }

    /// Whether records of a batch of this name are meant.
    func includes(_ other: String) -> Bool {
        if other == name { return true }
        guard includesParts, other.hasPrefix("\(name).") else { return false }
        let number = other.utf8.dropFirst(name.utf8.count + 1)
        return !number.isEmpty && number.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    /// The name, a full stop and a number, and nothing behind them.
    private var pattern: String {
        var pattern = "^"
        for scalar in name.unicodeScalars {
            // A backslash before any other ASCII character makes it plain; before a letter it would give it a meaning.
            let isPlain = !scalar.isASCII || scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
            if !isPlain { pattern.append("\\") }
            pattern.unicodeScalars.append(scalar)
        }
        return pattern + #"\.[0-9]+\z"#
    }
}
