import WaybillCore
package import WaybillMongo

/// Writes locales and time zones of devices in their canonical forms, and removes invalid locales.
///
/// Stretch by stretch: the server first groups the texts, and only devices that need it are read and changed. Each is
/// changed as it was read; it may be interrupted and repeated.
package struct DevicePlaceUpgrade {
    private typealias Field = DeviceRegistry.Field

    private static let pageSize = 1000
    private static let maximumTime = Duration.seconds(30)
    private static let operation = "write to \(DeviceRegistry.collection)"

    private let reader: DeviceReader

    package init(client: MongoClient, database: String) {
        self.init(DeviceReader(client: client, database: database))
    }

    init(_ reader: DeviceReader) {
        self.reader = reader
    }

    /// Changes what is not canonical.
    ///
    /// - Returns: how many devices were changed.
    /// - Throws: what the store says; what was done until then stays done.
    package func run() throws(MongoError) -> Int {
        var changed = 0
        var stretch = DeviceStretch()
        repeat {
            stretch.end = try reader.end(DeviceQuery(), after: stretch.after)
            changed += try change(stretch)
            stretch.after = stretch.end
        } while stretch.end != nil
        return changed
    }

    private func change(_ stretch: DeviceStretch) throws(MongoError) -> Int {
        let (locales, zones) = try olds(in: stretch)
        guard !locales.isEmpty || !zones.isEmpty else { return 0 }
        let filter = BSONDocument { writer in
            stretch.append(to: writer)
            writer.append(
                "$or",
                array: { ways in
                    ways.append { $0.append(Field.locale) { $0.append(anyOf: locales) } }
                    ways.append { $0.append(Field.timeZone) { $0.append(anyOf: zones) } }
                }
            )
        }
        let options = MongoFindOptions(
            projection: BSONDocument { writer in
                writer.append(Field.locale, int: 1)
                writer.append(Field.timeZone, int: 1)
            },
            batchSize: Self.pageSize,
            maximumTime: Self.maximumTime
        )
        let cursor = reader.collection.find(filter, options: options)
        var changed = 0
        var bulk = reader.collection.bulk()
        while let document = try cursor.next() {
            guard let (filter, update) = Self.change(document) else { continue }
            try bulk.updateOne(filter: filter, update: update, upsert: false)
            guard bulk.count == Self.pageSize else { continue }
            changed += try Self.execute(bulk)
            bulk = reader.collection.bulk()
        }
        return try changed + Self.execute(bulk)
    }

    /// Changes devices; a device whose change the server refuses stays as it is.
    private static func execute(_ bulk: MongoBulk) throws(MongoError) -> Int {
        let result = bulk.execute()
        try result.requireConfirmed(operation)
        for error in result.writeErrors {
            let refusal = error.error(operation)
            guard refusal.isAboutTheQuery else { throw refusal }
        }
        return result.matched
    }

    /// The texts of a stretch that are not in their canonical form.
    private func olds(in stretch: DeviceStretch) throws(MongoError) -> (locales: Set<String>, zones: Set<String>) {
        let match = BSONDocument { stage in stage.append("$match") { stretch.append(to: $0) } }
        let group = BSONDocument { stage in
            stage.append("$group") { group in
                group.append("_id") { id in
                    for field in [Field.locale, Field.timeZone] { id.append(field, string: "$\(field)") }
                }
            }
        }
        var (locales, zones): (Set<String>, Set<String>) = ([], [])
        let cursor = reader.collection.aggregate([match, group], maximumTime: Self.maximumTime)
        while let row = try cursor.next() {
            let place = row["_id"]?.document
            if let text = place?["\(Field.locale)"]?.string, LocaleName.canonical(text) != text {
                locales.insert(text)
            }
            if let text = place?["\(Field.timeZone)"]?.string, TimeZoneName.canonical(text) != text {
                zones.insert(text)
            }
        }
        return (locales, zones)
    }

    /// - Returns: what meets a device as it was read, and its change.
    private static func change(_ document: BSONDocument) -> (filter: BSONDocument, update: BSONDocument)? {
        guard let id = document.identifier("_id") else { return nil }
        let locale = document["\(Field.locale)"]?.string
        let zone = document["\(Field.timeZone)"]?.string
        let canonical = locale.flatMap { LocaleName.canonical($0) }
        let filter = BSONDocument { writer in
            writer.append("_id", identifier: id)
            if let locale { writer.append(Field.locale, string: locale) }
            if let zone { writer.append(Field.timeZone, string: zone) }
        }
        let update = BSONDocument { writer in
            if canonical != nil || zone != nil {
                writer.append("$set") { set in
                    if let canonical { set.append(Field.locale, string: canonical) }
                    if let zone { set.append(Field.timeZone, string: TimeZoneName.canonical(zone)) }
                }
            }
            if locale != nil, canonical == nil {
                writer.append("$unset") { $0.append(Field.locale, string: "") }
            }
        }
        return update == .empty ? nil : (filter, update)
    }
}
