package import WaybillMongo

extension PostedStore {
    private typealias Layout = NotificationLayout
    private typealias Field = NotificationLayout.Field

    /// How many notifications need somebody who looks after them: those that nobody has looked at, but for what is held or was sent
    /// elsewhere, and those that are under way.
    ///
    /// - Parameters:
    ///   - client: the store's.
    ///   - database: where notifications are.
    /// - Returns: what others have put there, parts of campaigns among them.
    /// - Throws: what the store says.
    package static func countOpen(_ client: MongoClient, _ database: String) throws(MongoError) -> Int {
        let filter = BSONDocument { writer in
            writer.append(
                "$or",
                array: { ways in
                    ways.append { underWay in
                        underWay.append(Field.state) { state in
                            state.append(anyOf: [Layout.State.handingOver, .scheduled, .sending].map(\.rawValue))
                        }
                    }
                    ways.append { new in
                        unseen(new)
                        notHeld(new)
                    }
                }
            )
        }
        return try client.collection(database: database, name: Layout.collection)
            .countDocuments(filter, maximumTime: .seconds(5))
    }

    /// The condition that a document does not wait for somebody to let it go: what is cancelled ends, held or not.
    static func notHeld(_ writer: BSONWriter) {
        writer.append(
            "$or",
            array: { ways in
                ways.append { $0.append(Field.held) { $0.append("$ne", bool: true) } }
                cancelled(&ways)
            }
        )
    }

    /// The condition that a document is not to be sent.
    static func cancelled(_ writer: BSONWriter) { writer.append("$or", array: cancelled) }

    private static func cancelled(_ ways: inout BSONArrayWriter) {
        ways.append { $0.append(Field.cancel, bool: true) }
        ways.append { way in way.append(firstOrder) { $0.append("$exists", bool: true) } }
    }

    /// The condition on documents that nobody has looked at, and that were not sent elsewhere.
    static func unseen(_ writer: BSONWriter) {
        writer.appendNull(Field.state)
        // A number other than 0, too, says that it was sent.
        writer.append(Field.sent) { $0.append("$ne", bool: true) }
        writer.append(
            "$nor",
            array: { numbers in
                numbers.append { $0.append(Field.sent) { $0.append("$gt", int: 0) } }
                numbers.append { $0.append(Field.sent) { $0.append("$lt", int: 0) } }
            }
        )
    }
}
