import WaybillCore
import WaybillMongo

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

    /// No part's name comes before it.
    var firstPart: String { "\(name)." }
    /// Every part's name comes before it: it has the character behind the full stop.
    var behindParts: String { "\(name)/" }

    /// Appends the condition that a record is of a part, and of one whose name lies between two others.
    func appendParts(from first: String? = nil, below last: String?, to writer: BSONWriter) {
        writer.append(
            Field.batchID,
            document: { condition in
                condition.append("$gte", string: first ?? firstPart)
                condition.append("$lt", string: last ?? behindParts)
                condition.append("$regex", string: pattern)
            }
        )
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
