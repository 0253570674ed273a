package import WaybillMongo

/// How many devices have the provider, the app and the environment in common by which they take their lane.
package struct DeviceShare: Hashable, Sendable {
    /// One of them, without a token; `nil` for those whose documents do not say it in a form of ours.
    package let address: DeviceAddress?
    package let devices: Int

    package init(address: DeviceAddress?, devices: Int) {
        self.address = address
        self.devices = devices
    }
}

/// Counts, stretch by stretch: a large registry takes longer, and each question the same time.
extension DeviceReader {
    /// When the server should give up on one stretch.
    private static let maximumTime = Duration.seconds(10)

    /// How many devices match.
    ///
    /// - Parameters:
    ///   - query: which.
    ///   - counted: told after each stretch how many there are so far.
    /// - Returns: the number.
    /// - Throws: what the store says; a time limit where ``isLate`` ends it.
    package func count(_ query: DeviceQuery, counted: (Int) -> Void = { _ in }) throws(MongoError) -> Int {
        var sum = 0
        try eachStretch(of: query) { (filter) throws(MongoError) in
            sum += Int(try collection.countDocuments(filter, maximumTime: Self.maximumTime))
            counted(sum)
        }
        return sum
    }

    /// How many devices that match are in which time zone; `nil` for those that have none.
    package func zones(_ query: DeviceQuery) throws(MongoError) -> [(name: String?, devices: Int)] {
        try sums(query, by: { $0.append("_id", string: "$\(DeviceRegistry.Field.timeZone)") }) { $0["_id"]?.string }
            .map { (name: $0.key, devices: $0.devices) }
    }

    /// How many devices that match take the same lanes.
    package func shares(
        _ query: DeviceQuery,
        counted: (Int) -> Void = { _ in }
    ) throws(MongoError) -> [DeviceShare] {
        let fields = [DeviceRegistry.Field.provider, DeviceRegistry.Field.app, DeviceRegistry.Field.environment]
        let sums = try sums(
            query,
            by: { group in group.append("_id") { id in for field in fields { id.append(field, string: "$\(field)") } }
            },
            counted: counted
        ) { $0["_id"]?.document.flatMap(DeviceAddress.init(group:)) }
        return sums.map { DeviceShare(address: $0.key, devices: $0.devices) }
    }

    /// Devices of each group, in the order in which the groups were met.
    private func sums<Key: Equatable>(
        _ query: DeviceQuery,
        by appendID: (BSONWriter) -> Void,
        counted: (Int) -> Void = { _ in },
        key: (BSONDocument) -> Key
    ) throws(MongoError) -> [(key: Key, devices: Int)] {
        let group = BSONDocument { stage in
            stage.append("$group") { group in
                appendID(group)
                group.append("count") { $0.append("$sum", int: 1) }
            }
        }
        var sums: [(key: Key, devices: Int)] = []
        try eachStretch(of: query) { (filter) throws(MongoError) in
            let match = BSONDocument { $0.append("$match", document: filter) }
            let cursor = collection.aggregate([match, group], maximumTime: Self.maximumTime)
            while let row = try cursor.next() {
                let (key, number) = (key(row), Int(row["count"]?.int ?? 0))
                if let place = sums.firstIndex(where: { $0.key == key }) {
                    sums[place].devices += number
                } else {
                    sums.append((key, number))
                }
            }
            counted(sums.reduce(0) { $0 + $1.devices })
        }
        return sums
    }

    private func eachStretch(
        of query: DeviceQuery,
        _ ask: (BSONDocument) throws(MongoError) -> Void
    ) throws(MongoError) {
        guard !query.isNarrow else { return try ask(query.filter) }
        var rest = DeviceStretch()
        while let end = try end(query, after: rest.after) {
            guard !isLate() else {
                throw MongoError(
                    code: .timeLimitExceeded,
                    operation: "count \(DeviceRegistry.collection)",
                    reason: "nobody waits for it any more"
                )
            }
            try ask(DeviceStretch(after: rest.after, end: end).filter(query))
            rest.after = end
        }
        try ask(rest.filter(query))
    }
}
