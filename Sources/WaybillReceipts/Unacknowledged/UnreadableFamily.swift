import WaybillCore
import WaybillMongo

/// A document of what is to be sent again that nobody can read, and that nobody takes.
package struct UnreadableFamily: Hashable, Sendable {
    /// The beginning of its `_id`; empty where that is of a type that has no text.
    package let name: String
    /// The field, and what it must be.
    package let reason: String

    /// - Parameters:
    ///   - document: with the fields by which it is read, or with their types in their places.
    ///   - reason: what is wrong with it.
    init(_ document: BSONDocument, reason: String) {
        if case .uuid(let high, let low) = document["_id"] {
            name = NotificationID(high: high, low: low).description
        } else {
            name = String((document.identifier("_id")?.text ?? "").prefix(Self.nameCharacters))
        }
        self.reason = reason
    }

    private static let nameCharacters = 64
}

extension UnacknowledgedLayout {
    /// The condition that a document has what a repeat takes, and room for what is noted.
    static func appendWhole(to filter: BSONWriter) {
        filter.append(single: Field.id) { id in
            id.append("$gte", uuid: 0, 0)
            id.append("$lte", uuid: .max, .max)
        }
        filter.append(single: Field.begins) { $0.append("$type", string: "date") }
        filter.append(single: Field.interval) { $0.append("$gt", int: 0) }
        filter.append(single: Field.limit) { limit in
            limit.append("$gte", int: RepeatRule.limits.lowerBound)
            limit.append("$lte", int: RepeatRule.limits.upperBound)
        }
        filter.append(single: Field.number) { $0.append("$gte", int: 0) }
        filter.append(single: Field.lane) { $0.append("$type", string: "string") }
        filter.append(single: Field.body) { $0.append("$type", string: "binData") }
        filter.append("$expr") { both in
            both.append(
                "$and",
                array: { all in
                    all.append { number in
                        number.append(
                            "$lte",
                            array: { sides in
                                sides.append(string: "$\(Field.number)")
                                sides.append(string: "$\(Field.limit)")
                            }
                        )
                    }
                    all.append { $0.append(size: "$lte", BSONWriter.largestWithRoom) }
                }
            )
        }
    }

    /// What is wrong with a document that nobody takes.
    ///
    /// - Parameter document: with the type of its body in its place.
    /// - Returns: the field, and what it must be.
    static func flaw(_ document: BSONDocument) -> String {
        func whole(_ field: StaticString) -> Int64? { document["\(field)"]?.int }
        if case .uuid = document["\(Field.id)"] {} else { return "\(Field.id) is no UUID" }
        if document["\(Field.begins)"]?.date == nil { return "\(Field.begins) is no date" }
        guard let interval = whole(Field.interval), interval > 0 else {
            return "\(Field.interval) is no number of seconds"
        }
        guard let limit = whole(Field.limit), RepeatRule.limits.contains(Int(clamping: limit)) else {
            return "\(Field.limit) is not between \(RepeatRule.limits.lowerBound) and \(RepeatRule.limits.upperBound)"
        }
        guard let number = whole(Field.number), 0...limit ~= number else {
            return "\(Field.number) is not between 0 and \(Field.limit)"
        }
        if document["\(Field.due)"]?.date == nil { return "\(Field.due) is no date" }
        if document["\(Field.lane)"]?.string == nil { return "\(Field.lane) is no text" }
        if document["\(Field.body)"]?.string != "binData" { return "\(Field.body) is not binary" }
        return "the document is not whole"
    }
}
