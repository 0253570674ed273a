package import WaybillCore
package import WaybillMongo

extension TokenEvents {
    /// Where the event of a notification stands.
    package struct Standing: Hashable, Sendable {
        let id: String
        package let name: FuseName
        package let state: State

        package init(_ notification: NotificationID, token: String, name: FuseName, state: State) {
            self.init(id: TokenEvents.id(notification, token: token), name: name, state: state)
        }

        init(id: String, name: FuseName, state: State) {
            self.id = id
            self.name = name
            self.state = state
        }

        /// Whether it is of a notification, and of its token.
        ///
        /// - Parameters:
        ///   - notification: its id, as it was sent.
        ///   - token: whole; `nil` where only a digest of it is known: then the id alone decides.
        /// - Returns: whether it is.
        package func isOf(_ notification: NotificationID, token: String?) -> Bool {
            guard let token else { return id.hasPrefix("\(notification)/") }
            return id == TokenEvents.id(notification, token: token)
        }
    }

    /// Where the events of notifications stand.
    ///
    /// - Parameter notifications: their ids, as they were sent; a few.
    /// - Returns: what there is; also of other tokens, where an id was given to several notifications.
    /// - Throws: what the query fails with.
    package func standing(of notifications: [NotificationID]) throws(MongoError) -> [Standing] {
        guard !notifications.isEmpty else { return [] }
        let filter = BSONDocument { filter in
            filter.append(
                "$or",
                array: { ranges in
                    for notification in Set(notifications) {
                        ranges.append { range in
                            range.append(Field.id) { ends in
                                ends.append("$gte", string: "\(notification)/")
                                // What follows a stroke among the characters.
                                ends.append("$lt", string: "\(notification)0")
                            }
                        }
                    }
                }
            )
        }
        let projection = BSONDocument { fields in
            for field in [Field.lane, Field.app, Field.state] { fields.append(field, int: 1) }
        }
        let options = MongoFindOptions(projection: projection, maximumTime: .seconds(5), readsMajority: true)
        let cursor = events.find(filter, options: options)
        var found: [Standing] = []
        while let document = try cursor.next() {
            guard let id = document["\(Field.id)"]?.string, let lane = document["\(Field.lane)"]?.string,
                let app = document["\(Field.app)"]?.string,
                let state = document["\(Field.state)"]?.string.flatMap(State.init)
            else { continue }
            found.append(Standing(id: id, name: FuseName(lane: lane, app: app), state: state))
        }
        return found
    }
}
