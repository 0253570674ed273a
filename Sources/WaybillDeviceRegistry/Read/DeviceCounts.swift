import WaybillCore
package import WaybillMongo

/// How many devices have the provider, the app and the environment in common by which they take their lane, and the time zone
/// where it was asked for.
package struct DeviceShare: Hashable, Sendable {
    /// One of them, without a token; `nil` for those whose documents do not say it in a form of ours.
    package let address: DeviceAddress?
    /// `nil` also for those that have none.
    package let zone: String?
    package let devices: Int

    package init(address: DeviceAddress?, zone: String? = nil, devices: Int) {
        self.address = address
        self.zone = zone
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

    /// How many devices that match take the same lanes, in the order in which the groups were met.
    ///
    /// - Parameters:
    ///   - query: which.
    ///   - byZone: whether those of each time zone are a group of their own.
    ///   - counted: told after each stretch how many there are so far.
    /// - Returns: each device in one of them.
    /// - Throws: as ``count(_:counted:)``.
    package func shares(
        _ query: DeviceQuery,
        byZone: Bool = false,
        counted: (Int) -> Void = { _ in }
    ) throws(MongoError) -> [DeviceShare] {
        typealias Field = DeviceRegistry.Field
        let fields = [Field.provider, Field.app, Field.environment] + (byZone ? [Field.timeZone] : [])
        let group = BSONDocument { stage in
            stage.append("$group") { group in
                group.append("_id") { id in for field in fields { id.append(field, string: "$\(field)") } }
                group.append("count") { $0.append("$sum", int: 1) }
            }
        }
        var sums: [(key: DeviceGroup, devices: Int)] = []
        var places: [DeviceGroup: Int] = [:]
        try eachStretch(of: query) { (filter) throws(MongoError) in
            let match = BSONDocument { $0.append("$match", document: filter) }
            let cursor = collection.aggregate([match, group], maximumTime: Self.maximumTime)
            while let row = try cursor.next() {
                let (key, number) = (DeviceGroup(row["_id"]?.document), Int(row["count"]?.int ?? 0))
                if let place = places[key] {
                    sums[place].devices += number
                } else {
                    places[key] = sums.count
                    sums.append((key, number))
                }
            }
            counted(sums.reduce(0) { $0 + $1.devices })
        }
        return sums.map { DeviceShare(address: $0.key.address, zone: $0.key.zone, devices: $0.devices) }
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

/// What devices of one share have in common.
private struct DeviceGroup: Hashable {
    let address: DeviceAddress?
    let zone: String?

    init(_ document: BSONDocument?) {
        address = document.flatMap(DeviceAddress.init(group:))
        zone = (document?["\(DeviceRegistry.Field.timeZone)"]?.string).map { TimeZoneName.canonical($0) }
    }
}
