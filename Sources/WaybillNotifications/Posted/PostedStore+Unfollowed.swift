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
                    for (states, _) in Layout.marks {
                        ways.append { unmarked in
                            unmarked.append(Field.state, document: { $0.append(anyOf: states.map(\.rawValue)) })
                            unmarked.append("$nor", array: { $0.append { Layout.appendWhole(states, to: $0) } })
                        }
                    }
                }
            )
        }
        // A message may be large: its type is read.
        let fields = BSONDocument { writer in
            writer.append(Field.id, int: 1)
            writer.append(Field.state, int: 1)
            for field in Set(Layout.marks.flatMap { $0.marks.map { "\($0.field)" } }) where field != "_id" {
                writer.append(name: field) { $0.append("$type", string: "$\(field)") }
            }
        }
        let options = MongoFindOptions(
            limit: Self.mostUnfollowed,
            projection: fields,
            maximumTime: .seconds(5),
            readsMajority: true
        )
        return try collection.find(filter, options: options).all().map { document in
            let state = document["\(Field.state)"]
            let reason = Layout.flaw(state) { mark in
                if "\(mark.field)" == "\(Field.id)" { return mark.isIn(document) }
                return document["\(mark.field)"]?.string == mark.kind.rawValue
            }
            return UnfollowedNotification(
                name: String((document.identifier("\(Field.id)")?.text ?? "").prefix(Self.nameCharacters)),
                reason: reason ?? Layout.otherFlaw(state)
            )
        }
    }
}
