/// Conditions of the store that several collections have.
extension BSONWriter {
    /// The largest document that has room for what is noted in it: the store has a limit of 16 MiB.
    package static let largestWithRoom = (16 << 20) - 4096

    /// A condition on a field that is no array.
    ///
    /// Without that, one of the store holds of an array where it holds of one of its elements.
    package func append(single field: StaticString, _ condition: (BSONWriter) -> Void) {
        append(field) { whole in
            condition(whole)
            whole.append("$not") { $0.append("$type", string: "array") }
        }
    }

    /// The expression that compares the size of the whole document.
    ///
    /// - Parameters:
    ///   - comparison: such as `$lte`.
    ///   - bytes: what it is compared with.
    package func append(size comparison: StaticString, _ bytes: Int) {
        append(
            comparison,
            array: { sides in
                sides.append { $0.append("$bsonSize", string: "$$ROOT") }
                sides.append(int64: Int64(bytes))
            }
        )
    }
}
