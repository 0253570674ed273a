import WaybillMongo

extension TokenEvents {
    /// When the last answer of a storm was given of which an event is held, or to be taken back.
    ///
    /// - Parameters:
    ///   - name: whose.
    ///   - start: when the storm began, in milliseconds since 1970.
    /// - Returns: milliseconds since 1970, by a dispatcher's clock; `nil` if there are none.
    /// - Throws: what the query fails with.
    func lastAnswer(_ name: FuseName, since start: Int64) throws(MongoError) -> Int64? {
        var last: Int64?
        for state in [State.held, .applied] {
            let filter = BSONDocument { filter in
                Self.append(name, state, to: filter)
                filter.append(Field.at) { $0.append("$gte", date: start) }
            }
            let options = MongoFindOptions(
                sort: BSONDocument { $0.append(Field.at, int: -1) },
                limit: 1,
                projection: BSONDocument { $0.append(Field.at, int: 1) },
                maximumTime: .seconds(5),
                readsMajority: true
            )
            let cursor = events.find(filter, options: options)
            guard let found = try cursor.next()?["\(Field.at)"]?.date else { continue }
            last = max(found, last ?? found)
        }
        return last
    }
}
