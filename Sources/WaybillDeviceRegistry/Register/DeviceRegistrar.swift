import WaybillCore
import WaybillEncoding
package import WaybillMongo

/// Registers devices, many at a time, beside others that do the same.
///
/// Input: what apps say. Output: what became of each, once all is durable (majority and journal). Invariant: a document changes
/// only if it is as it was when ``RegistrationRule`` decided; else it is looked at again. Failure: an error means that part may
/// have been written; the same again is safe.
///
/// *Thread:* its client's. *Blocking:* up to the limits of the pool for each round.
package struct DeviceRegistrar {
    /// Why a token is disabled whose device has another one.
    package static let replaced = "replaced"

    /// Rounds after which documents that keep changing under our hands count as a failure of the store.
    private static let roundLimit = 8

    let devices: MongoCollection

    package init(client: MongoClient, database: String) {
        devices = client.collection(database: database, name: DeviceRegistry.collection)
    }

    /// Registers devices.
    ///
    /// Of entries with one address, the one of the latest time counts, and of several such the last; the others are `older`.
    ///
    /// - Parameters:
    ///   - entries: no more than a thousand or so; they travel in one command.
    ///   - now: milliseconds since 1970. A later time of an entry is taken for this one.
    ///   - retires: whether pushing ends to the other tokens of their devices; false where the caller decides of these.
    /// - Returns: what became of each, in their order, and how many other tokens of their devices were retired.
    /// - Throws: what the store says; part may have been written.
    package func register(
        _ entries: [DeviceEntry],
        now: Int64,
        retires: Bool = true
    ) throws(MongoError) -> (outcomes: [RegistrationOutcome], retired: Int) {
        var outcomes = [RegistrationOutcome](repeating: .older, count: entries.count)
        var undecided = Self.latest(entries, now: now)
        var round = 0
        while !undecided.isEmpty {
            guard round < Self.roundLimit else { throw restless }
            round += 1
            let known = try read(undecided.map(\.entry.address))
            var creating: [Pending] = []
            var updating: [(pending: Pending, outcome: RegistrationOutcome, life: DeviceLife)] = []
            for pending in undecided {
                let document = known[DeviceKey.of(pending.entry.address)]
                let life = document.map { DeviceLife($0) }
                let outcome = RegistrationRule.decide(
                    pending.entry,
                    changes: document.map { RegistrationUpdate.changes(pending.entry, $0) } ?? true,
                    moves: document.map { RegistrationUpdate.moves(pending.entry, $0) } ?? false,
                    life
                )
                outcomes[pending.index] = outcome
                switch (outcome, life) {
                case (.recent, _), (.older, _): break
                case (_, nil): creating.append(pending)
                case (_, let life?): updating.append((pending, outcome, life))
                }
            }
            undecided = try write(creating, updating)
        }
        guard retires else { return (outcomes, 0) }
        let retired = try retireOthers(of: zip(entries, outcomes).filter { $1 != .older }.map(\.0), now: now)
        return (outcomes, retired)
    }

    /// An entry that is not yet written, and where it stood.
    private struct Pending {
        let index: Int
        let entry: DeviceEntry
    }

    private static func latest(_ entries: [DeviceEntry], now: Int64) -> [Pending] {
        var places: [BSONDocument: Int] = [:]
        var latest: [Pending] = []
        for (index, entry) in entries.enumerated() {
            let entry = entry.noLater(than: now)
            let key = DeviceKey.of(entry.address)
            if let place = places[key] {
                guard entry.lastWord ?? .min >= latest[place].entry.lastWord ?? .min else { continue }
                latest[place] = Pending(index: index, entry: entry)
            } else {
                places[key] = latest.count
                latest.append(Pending(index: index, entry: entry))
            }
        }
        return latest
    }

    /// The documents of addresses, by `DeviceKey`.
    private func read(_ addresses: [DeviceAddress]) throws(MongoError) -> [BSONDocument: BSONDocument] {
        let filter = BSONDocument { writer in
            append(DeviceRegistry.Field.token, anyOf: addresses.map(\.token), to: writer)
        }
        var found: [BSONDocument: BSONDocument] = [:]
        let options = MongoFindOptions(batchSize: addresses.count + 1, readsMajority: true)
        let cursor = devices.find(filter, options: options)
        while let document = try cursor.next() {
            if let key = DeviceKey.of(document) { found[key] = document }
        }
        return found
    }

    /// - Returns: what was not written, because the document came or changed meanwhile.
    private func write(
        _ creating: [Pending],
        _ updating: [(pending: Pending, outcome: RegistrationOutcome, life: DeviceLife)]
    ) throws(MongoError) -> [Pending] {
        guard !creating.isEmpty || !updating.isEmpty else { return [] }
        let bulk = devices.bulk()
        for pending in creating { try bulk.insert(RegistrationUpdate.document(pending.entry)) }
        for (pending, outcome, life) in updating {
            let filter = BSONDocument { writer in
                DeviceKey.append(pending.entry.address, to: writer)
                life.appendGuards(to: writer)
            }
            let update = RegistrationUpdate.update(pending.entry.asRegistration, outcome, life)
            // Where it has changed, the upsert meets the unique index: the sign that somebody must look again.
            try bulk.updateOne(filter: filter, update: update, upsert: true)
        }
        let answer = bulk.execute()
        try answer.requireDurableOrDuplicate(operation)
        let all = creating + updating.map(\.pending)
        return answer.writeErrors.map { all[$0.index] }
    }

    /// Ends pushing to all tokens of the entries' devices but the one that each has spoken of last.
    ///
    /// It looks after the entries are durable: of two callers at the same time, the one that looks later sees both tokens.
    private func retireOthers(of entries: [DeviceEntry], now: Int64) throws(MongoError) -> Int {
        let names = Set(exactly: entries.compactMap(\.device))
        guard !names.isEmpty else { return 0 }
        let filter = BSONDocument { writer in
            append(DeviceRegistry.Field.device, anyOf: names.sortedTexts, to: writer)
            writer.append(DeviceRegistry.Field.enabled) { $0.append("$ne", bool: false) }
        }
        var retired = 0
        for _ in 0..<Self.roundLimit {
            var places: [DevicePlace: [(address: DeviceAddress, life: DeviceLife)]] = [:]
            let cursor = devices.find(filter, options: MongoFindOptions(readsMajority: true))
            while let document = try cursor.next() {
                guard let address = DeviceAddress(document),
                    let name = document["\(DeviceRegistry.Field.device)"]?.string
                else { continue }
                places[DevicePlace(address, name), default: []].append((address, DeviceLife(document)))
            }
            let bulk = devices.bulk()
            for tokens in places.values where tokens.count > 1 {
                let ordered = tokens.sorted {
                    ($0.life.lastWord ?? .min, $0.address.token) < ($1.life.lastWord ?? .min, $1.address.token)
                }
                guard let successor = ordered.last else { continue }
                for (address, life) in ordered.dropLast() {
                    let filter = BSONDocument { writer in
                        DeviceKey.append(address, to: writer)
                        life.appendGuards(to: writer)
                    }
                    let time = successor.life.lastWord ?? now
                    let update = RegistrationUpdate.replacement(by: successor.address, at: time)
                    try bulk.updateOne(filter: filter, update: update, upsert: false)
                }
            }
            guard bulk.count > 0 else { return retired }
            let answer = bulk.execute()
            try answer.requireDurable(operation)
            retired += answer.matched
            // Others have changed meanwhile: looked at again.
            if answer.matched == bulk.count { return retired }
        }
        throw restless
    }

    private func append(_ field: StaticString, anyOf values: [String], to writer: BSONWriter) {
        writer.append(field) { condition in
            condition.append(anyOf: values)
        }
    }

    var operation: String { "register in \(devices.database).\(DeviceRegistry.collection)" }

    private var restless: MongoError {
        MongoError(code: .notDurable, operation: operation, reason: "documents keep changing while they are written")
    }
}

/// Where one token at a time belongs: an app of a device.
private struct DevicePlace: Hashable {
    let provider: DeviceProvider
    let app: ExactName
    let environment: String?
    let device: ExactName

    init(_ address: DeviceAddress, _ device: String) {
        provider = address.provider
        app = ExactName(address.app)
        environment = address.environment?.rawValue
        self.device = ExactName(device)
    }
}

extension MongoBulkResult {
    /// Requires that every write is durable, but for those that met a unique index.
    func requireDurableOrDuplicate(_ operation: String) throws(MongoError) {
        if let failure { throw failure }
        let refused = writeErrors.first { !$0.isDuplicateKey }
        guard let reason = writeConcernErrors.first ?? refused?.message else { return }
        throw MongoError(code: .notDurable, operation: operation, reason: reason)
    }
}
