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
                        new.append(Field.held) { $0.append("$ne", bool: true) }
                    }
                }
            )
        }
        return try client.collection(database: database, name: Layout.collection)
            .countDocuments(filter, maximumTime: .seconds(5))
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
