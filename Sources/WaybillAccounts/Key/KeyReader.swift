package import WaybillMongo

/// Reads keys.
///
/// *Thread:* its client's. *Blocking:* up to the limits of the pool and the time limit.
package struct KeyReader {
    private static let maximumTime = Duration.seconds(5)
    /// More are nobody's keys.
    private static let most = 10_000

    private let collection: MongoCollection

    package init(client: MongoClient, database: String) {
        collection = client.collection(database: database, name: Accounts.keys)
    }

    /// The key that somebody has shown, good or not; `nil` if nobody knows it.
    package func key(_ digest: SecretDigest) throws(MongoError) -> AccessKey? {
        let filter = BSONDocument { $0.append(Accounts.KeyField.digest, string: digest.hexadecimal) }
        guard let document = try first(filter), let stored = document["\(Accounts.KeyField.digest)"]?.string,
            digest.isStored(as: stored)
        else { return nil }
        return AccessKey(document)
    }

    /// The key with this public name.
    package func key(id: String) throws(MongoError) -> AccessKey? {
        try first(BSONDocument { $0.append(Accounts.KeyField.id, string: id) }).flatMap(AccessKey.init)
    }

    /// The key that was rotated to this one.
    func predecessor(of id: String) throws(MongoError) -> AccessKey? {
        try first(BSONDocument { $0.append(Accounts.KeyField.replacedBy, string: id) }).flatMap(AccessKey.init)
    }

    /// All keys, the latest first.
    package func keys() throws(MongoError) -> [AccessKey] {
        let cursor = collection.find(.empty, options: options(limit: Self.most))
        var keys: [AccessKey] = []
        while let document = try cursor.next() {
            if let key = AccessKey(document) { keys.append(key) }
        }
        return keys.sorted { ($1.createdAt, $1.id) < ($0.createdAt, $0.id) }
    }

    private func first(_ filter: BSONDocument) throws(MongoError) -> BSONDocument? {
        try collection.findOne(filter, options: options(limit: 1))
    }

    private func options(limit: Int) -> MongoFindOptions {
        MongoFindOptions(limit: limit, maximumTime: Self.maximumTime, readsMajority: true)
    }
}
