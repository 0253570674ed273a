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
                    for (states, field) in Layout.dates {
                        ways.append { undated in
                            undated.append(Field.state, document: { $0.append(anyOf: states.map(\.rawValue)) })
                            undated.append(field) { $0.append("$not") { $0.append("$type", string: "date") } }
                        }
                    }
                }
            )
        }
        let fields = BSONDocument { writer in
            for field in [Field.id, Field.state, Field.due, Field.claimedUntil] { writer.append(field, int: 1) }
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

    /// By which date whoever follows them finds documents of some states.
    static let dates: [(states: [State], field: StaticString)] = [
        ([.handingOver, .scheduled, .sending], Field.due), ([.claimed], Field.claimedUntil),
    ]

    /// Why nobody follows a document that has a state; `nil` where somebody does, or where it has none.
    ///
    /// - Parameter document: with the state, and the dates by which it is followed.
    /// - Returns: the field, its value, and what there may be.
    static func flaw(_ document: BSONDocument) -> String? {
        guard let value = document["\(Field.state)"], value != .null else { return nil }
        let advice = "what is to be sent has no state, which only Waybill writes"
        guard let word = value.string, states.contains(word) else {
            let shown = value.string.map { TextLength.cut($0, to: 40) } ?? "no text"
            return "state is \(shown), which is none of \(states.joined(separator: ", ")); \(advice)"
        }
        for (states, field) in dates where states.contains(where: { $0.rawValue == word }) {
            if document["\(field)"]?.date == nil { return "state is \(word), and \(field) is no date; \(advice)" }
        }
        return nil
    }
}
