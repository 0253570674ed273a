package import WaybillMongo

/// Converts documents of the earlier layout, page by page.
///
/// Each document is converted by one update that meets it as it was read, so that a registration of the moment is not lost: what
/// has changed meanwhile is converted in the next round. Where a document of this layout has the token already (the worker has
/// written a tombstone meanwhile, or the app has registered), what both say is merged into that one, and the earlier one is
/// taken out of the registry: it keeps its fields under `merged`, where no index and no question finds it. Any of it may be interrupted and repeated.
package struct DeviceUpgrade {
    /// What was done.
    package struct Counts: Hashable, Sendable {
        package var converted = 0
        /// Of tokens that had a document already.
        package var merged = 0
        /// Still there: what they say of token, topic or environment cannot be read.
        package var left = 0

        package init(converted: Int = 0, merged: Int = 0, left: Int = 0) {
            self.converted = converted
            self.merged = merged
            self.left = left
        }
    }

    private static let pageSize = 1000

    private let devices: MongoCollection

    package init(client: MongoClient, database: String) {
        devices = client.collection(database: database, name: DeviceRegistry.collection)
    }

    /// Converts what is there.
    ///
    /// - Parameter proceeds: told after each page what was done so far; `false` ends the run.
    /// - Returns: what was done; `nil` if the run was ended.
    /// - Throws: what the store says; what was done until then stays done.
    package func run(_ proceeds: (Counts) -> Bool) throws(MongoError) -> Counts? {
        var counts = Counts()
        while true {
            let before = counts
            counts.left = 0
            let cursor = devices.find(Self.earlier, options: MongoFindOptions(batchSize: Self.pageSize))
            var page: [EarlierDevice] = []
            while let document = try cursor.next() {
                guard let device = EarlierDevice(document) else { continue }
                page.append(device)
                guard page.count == Self.pageSize else { continue }
                try convert(page, &counts)
                page = []
                guard proceeds(counts) else { return nil }
            }
            try convert(page, &counts)
            guard proceeds(counts) else { return nil }
            // What was changed by others while it was converted is left for another round.
            if counts.converted == before.converted, counts.merged == before.merged { return counts }
        }
    }

    private func convert(_ page: [EarlierDevice], _ counts: inout Counts) throws(MongoError) {
        var written: [(device: EarlierDevice, address: DeviceAddress)] = []
        let bulk = devices.bulk()
        for device in page {
            guard let address = device.address else {
                counts.left += 1
                continue
            }
            try bulk.updateOne(filter: device.filter, update: device.conversion(to: address), upsert: false)
            written.append((device, address))
        }
        guard !written.isEmpty else { return }
        let answer = bulk.execute()
        let refused = answer.writeErrors.filter { !$0.isDuplicateKey }
        if let error = answer.failure { throw error }
        if let reason = answer.writeConcernErrors.first ?? refused.first?.message {
            throw MongoError(code: .notDurable, operation: operation, reason: reason)
        }
        counts.converted += answer.matched
        for error in answer.writeErrors where try merge(written[error.index].device, written[error.index].address) {
            counts.merged += 1
        }
        counts.left += written.count - answer.matched - answer.writeErrors.count
    }

    /// - Returns: whether it was done; `false` if either document has changed meanwhile.
    private func merge(_ device: EarlierDevice, _ address: DeviceAddress) throws(MongoError) -> Bool {
        let options = MongoFindOptions(readsMajority: true)
        guard let document = try devices.findOne(DeviceKey.of(address), options: options) else { return false }
        let life = DeviceLife(document)
        let together = life.merged(with: device.life)
        let filter = BSONDocument { writer in
            DeviceKey.append(address, to: writer)
            life.appendGuards(to: writer)
        }
        guard try update(filter, BSONDocument { together.appendUpdate(to: $0) }) else { return false }
        return try update(device.filter, device.retirement())
    }

    private func update(_ filter: BSONDocument, _ update: BSONDocument) throws(MongoError) -> Bool {
        let bulk = devices.bulk()
        try bulk.updateOne(filter: filter, update: update, upsert: false)
        let answer = bulk.execute()
        try answer.requireDurable(operation)
        return answer.matched == 1
    }

    private var operation: String { "upgrade \(devices.database).\(DeviceRegistry.collection)" }

    /// Answered from an index that holds these alone.
    static let earlier = BSONDocument {
        $0.append(DeviceRegistry.EarlierField.deviceToken) { $0.append("$exists", bool: true) }
    }
}
