package import WaybillMongo

/// Answers questions about the registry; it writes nothing.
package struct DeviceReader {
    /// When the server should give up.
    private static let maximumTime = Duration.seconds(10)

    let collection: MongoCollection
    /// How many devices one question looks at, whatever it asks of them.
    let stretch: Int
    let isLate: () -> Bool

    /// - Parameters:
    ///   - client: a thread's own.
    ///   - database: its name.
    ///   - isLate: whether nobody waits any more for what is counted in several questions.
    package init(client: MongoClient, database: String, isLate: @escaping () -> Bool = { false }) {
        self.init(client: client, database: database, stretch: 100_000, isLate: isLate)
    }

    init(client: MongoClient, database: String, stretch: Int, isLate: @escaping () -> Bool = { false }) {
        collection = client.collection(database: database, name: DeviceRegistry.collection)
        self.stretch = stretch
        self.isLate = isLate
    }

    /// Whether there are documents of the earlier layout, which only a search for their token finds.
    package func needsUpgrade() throws(MongoError) -> Bool {
        let options = MongoFindOptions(maximumTime: Self.maximumTime)
        return try collection.findOne(DeviceUpgrade.earlier, options: options) != nil
    }

    /// The devices that match, at most so many.
    package func devices(_ query: DeviceQuery, limit: Int) -> DeviceCursor {
        DeviceCursor(self, query, limit: limit)
    }
}
