import WaybillEncoding
package import WaybillMongo

/// A document that nobody follows, because its state is none that a notification has there.
package struct UnfollowedNotification: Hashable, Sendable {
    /// The beginning of its `_id`; empty where that is of a type that has no text.
    package let name: String
    /// The field, its value, and what there may be.
    package let reason: String
}

extension PostedStore {
    private typealias Layout = NotificationLayout
    private typealias Field = NotificationLayout.Field

    private static let mostUnfollowed = 100
    private static let nameCharacters = 64

    /// Documents that have a state and that nobody looks after, the first hundred.
    ///
    /// Only Waybill writes states, and with them what it follows a document by.
    ///
    /// - Returns: in any order.
    /// - Throws: what the store says.
    package func unfollowed() throws(MongoError) -> [UnfollowedNotification] {
        let filter = BSONDocument { writer in
            writer.append(
                "$or",
                array: { ways in
                    ways.append { unknown in
                        unknown.append(Field.state) { state in
                            state.append(
                                "$nin",
                                array: { known in
                                    known.appendNull()
                                    for word in Layout.states { known.append(string: word) }
                                }
                            )
                        }
                    }
                    for (states, marks) in Layout.marks {
                        for mark in marks {
                            ways.append { unmarked in
                                unmarked.append(Field.state, document: { $0.append(anyOf: states.map(\.rawValue)) })
                                unmarked.append(mark.field) { condition in
                                    condition.append("$not") { $0.append("$type", string: mark.type.rawValue) }
                                }
                            }
                        }
                    }
                }
            )
        }
        let fields = BSONDocument { writer in
            writer.append(Field.id, int: 1)
            writer.append(Field.state, int: 1)
            for field in Set(Layout.marks.flatMap { $0.marks.map { "\($0.field)" } }) {
                writer.append(name: field, int: 1)
            }
        }
        let options = MongoFindOptions(
            limit: Self.mostUnfollowed,
            projection: fields,
            maximumTime: .seconds(5),
            readsMajority: true
        )
        return try collection.find(filter, options: options).all().compactMap { document in
            Layout.flaw(document).map { reason in
                UnfollowedNotification(
                    name: String((document.identifier("\(Field.id)")?.text ?? "").prefix(Self.nameCharacters)),
                    reason: reason
                )
            }
        }
    }
}

extension NotificationLayout {
    /// Every state that a document may have.
    static let states = Set(State.allCases.map(\.rawValue) + PostedProgress.State.allCases.map(\.rawValue)).sorted()

    /// A field of one type, which Waybill writes with some states.
    struct Mark {
        enum Kind: String {
            case date, string
        }

        let field: StaticString
        let type: Kind

        func isIn(_ document: BSONDocument) -> Bool {
            let value = document["\(field)"]
            return type == .date ? value?.date != nil : value?.string != nil
        }
    }

    /// What documents of some states have, so that somebody follows them.
    static let marks: [(states: [State], marks: [Mark])] = [
        (
            [.handingOver, .scheduled, .sending],
            [Mark(field: Field.due, type: .date)] + ownMarks
        ),
        ([.claimed], [Mark(field: Field.claimedUntil, type: .date)]),
    ]

    /// What each document that is under way has from its claim on.
    static let ownMarks = [Mark(field: Field.audience, type: .string), Mark(field: Field.begins, type: .date)]

    /// Why nobody follows a document that has a state; `nil` where somebody does, or where it has none.
    ///
    /// - Parameter document: with the state, and the fields by which it is followed.
    /// - Returns: the field, its value, and what there may be.
    static func flaw(_ document: BSONDocument) -> String? {
        guard let value = document["\(Field.state)"], value != .null else { return nil }
        let advice = "what is to be sent has no state, which only Waybill writes"
        guard let word = value.string, states.contains(word) else {
            let shown = value.string.map { TextLength.cut($0, to: 40) } ?? "no text"
            return "state is \(shown), which is none of \(states.joined(separator: ", ")); \(advice)"
        }
        for (states, marks) in marks where states.contains(where: { $0.rawValue == word }) {
            for mark in marks where !mark.isIn(document) {
                let kind = mark.type == .date ? "date" : "text"
                return "state is \(word), and \(mark.field) is no \(kind); \(advice)"
            }
        }
        return nil
    }
}
