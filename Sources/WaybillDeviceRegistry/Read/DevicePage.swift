package import WaybillMongo

/// A device's document and what names the device.
package struct DevicePosition: Hashable, Sendable {
    /// Of the document, to go on behind it.
    package let id: BSONIdentifier
    /// `nil` if the document does not say that in a form of ours.
    package let address: DeviceAddress?
    /// What the push service knows it by is a Firebase installation id.
    package let isInstallation: Bool
    /// Why its document says nothing for certain, so that it has no address; `nil` for nearly all.
    package let flaw: DeviceFlaw?

    package init(id: BSONIdentifier, address: DeviceAddress?, isInstallation: Bool = false, flaw: DeviceFlaw? = nil) {
        self.id = id
        self.address = address
        self.isInstallation = isInstallation
        self.flaw = flaw
    }

    init(id: BSONIdentifier, _ document: BSONDocument) {
        let flaw = DeviceFlaw(document)
        self.init(
            id: id,
            address: flaw == nil ? DeviceAddress(document) : nil,
            isInstallation: document["\(DeviceRegistry.Field.kind)"]?.string == DeviceTokenKind.installation.rawValue,
            flaw: flaw
        )
    }
}

/// Some of the devices that match, in the order of their documents' ids, which all have one type.
package struct DevicePage<Element> {
    package let devices: [Element]
    /// The id behind which the next page begins.
    package let after: BSONIdentifier?
    /// Whether no more match.
    package let isLast: Bool

    package init(devices: [Element], after: BSONIdentifier?, isLast: Bool) {
        self.devices = devices
        self.after = after
        self.isLast = isLast
    }
}

extension DevicePage: Sendable where Element: Sendable {}

/// How many devices a page looks at, and when the server should give up on it.
package struct DevicePageEffort: Sendable {
    package let stretch: Int
    package let time: Duration

    /// - Parameter cuts: how often a page of the same query has met the time limit: each time it looks at a quarter.
    package init(cuts: Int) {
        stretch = max(1_000, 100_000 >> min(2 * cuts, 20))
        time = .seconds(2)
    }

    /// After so many cuts a page looks at no less.
    package static let mostCuts = 4
}

extension DeviceReader {
    /// When the server should give up on one page.
    private static let maximumTime = Duration.seconds(8)
    /// As ``maximumTime``, where documents are read with their histories for somebody who waits for all of them.
    private static let maximumExportTime = Duration.seconds(60)

    /// The next devices that match.
    ///
    /// Documents are read whole, but for their history: whether a field is there twice is seen in no other way.
    ///
    /// - Parameters:
    ///   - query: which.
    ///   - after: the last one before; `nil` for the beginning.
    ///   - limit: at most so many.
    ///   - effort: how much is looked at, and how long.
    /// - Returns: fewer than the limit at the end, and where few of those that were looked at match; none then, too.
    /// - Throws: what the store says.
    package func page(
        _ query: DeviceQuery,
        after: BSONIdentifier?,
        limit: Int,
        effort: DevicePageEffort? = nil
    ) throws(MongoError) -> DevicePage<DevicePosition> {
        let leftOut = BSONDocument { $0.append(DeviceRegistry.Field.history, int: 0) }
        let question = PageQuestion(
            after: after,
            limit: limit,
            projection: leftOut,
            time: effort?.time ?? Self.maximumTime,
            stretch: effort?.stretch ?? stretch
        )
        return try page(query, question) { id, document in DevicePosition(id: id, document) }
    }

    /// As ``page(_:after:limit:)``, with all that the registry has of each device.
    package func wholePage(
        _ query: DeviceQuery,
        after: BSONIdentifier?,
        limit: Int
    ) throws(MongoError) -> DevicePage<Device> {
        let question = PageQuestion(
            after: after,
            limit: limit,
            projection: nil,
            time: Self.maximumExportTime,
            stretch: stretch
        )
        return try page(query, question) { _, document in Device(document) }
    }

    private struct PageQuestion {
        let after: BSONIdentifier?
        let limit: Int
        let projection: BSONDocument?
        let time: Duration
        let stretch: Int
    }

    private func page<Element>(
        _ query: DeviceQuery,
        _ question: PageQuestion,
        _ make: (BSONIdentifier, BSONDocument) -> Element
    ) throws(MongoError) -> DevicePage<Element> {
        var devices: [Element] = []
        devices.reserveCapacity(question.limit)
        var last: BSONIdentifier?
        func read(_ cursor: MongoCursor) throws(MongoError) {
            devices.removeAll(keepingCapacity: true)
            last = nil
            while let document = try cursor.next() {
                guard let id = document.identifier("_id") else {
                    throw MongoError(
                        code: .commandFailed,
                        operation: "read \(DeviceRegistry.collection)",
                        reason: "a device's _id has a type that documents cannot be ordered by"
                    )
                }
                last = id
                devices.append(make(id, document))
            }
        }
        var end: BSONIdentifier?
        if query.asksMore, !query.isNarrow {
            try read(matches(among: query, question))
            if devices.count < question.limit {
                // What was written between two questions may have moved the end, so that they are looked at once more, up to it.
                end = try self.end(query, after: question.after, stretch: question.stretch)
                try read(find(query, question, end: end))
            }
        } else {
            try read(find(query, question, end: nil))
        }
        let isFull = devices.count == question.limit
        return DevicePage(
            devices: devices,
            after: isFull ? last : end ?? last ?? question.after,
            isLast: !isFull && end == nil
        )
    }

    /// Those that match among the devices of a stretch, the first ones.
    private func matches(among query: DeviceQuery, _ question: PageQuestion) -> MongoCursor {
        var stages = Self.looked(query, after: question.after)
        stages.append(BSONDocument { $0.append("$limit", int: question.stretch) })
        stages.append(BSONDocument { $0.append("$match", document: query.filter) })
        stages.append(BSONDocument { $0.append("$limit", int: question.limit) })
        if let projection = question.projection {
            stages.append(BSONDocument { $0.append("$project", document: projection) })
        }
        return collection.aggregate(stages, maximumTime: question.time, readsMajority: true)
    }

    private func find(_ query: DeviceQuery, _ question: PageQuestion, end: BSONIdentifier?) -> MongoCursor {
        let options = MongoFindOptions(
            sort: BSONDocument { $0.append("_id", int: 1) },
            limit: question.limit,
            projection: question.projection,
            batchSize: question.limit,
            maximumTime: question.time,
            readsMajority: true
        )
        return collection.find(DeviceStretch(after: question.after, end: end).filter(query), options: options)
    }
}
