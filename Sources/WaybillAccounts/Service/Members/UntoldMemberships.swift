package import WaybillMongo

/// Changes of memberships that nobody has been told of.
///
/// *Thread:* its client's. *Blocking:* up to the limits of the pool and the time limit.
package struct UntoldMemberships {
    private typealias Field = ServiceLayout.MembershipField

    /// A membership, and what is to be told of it.
    package struct Untold: Hashable, Sendable {
        package let service: String
        /// The account's id of whose it is, or was.
        package let account: String
        package let news: MembershipNews

        package init(service: String, account: String, news: MembershipNews) {
            self.service = service
            self.account = account
            self.news = news
        }

        init(_ membership: Membership, _ news: MembershipNews) {
            self.init(service: membership.service, account: membership.account, news: news)
        }
    }

    private let memberships: MongoCollection

    package init(client: MongoClient, database: String) {
        memberships = client.collection(database: database, name: ServiceLayout.memberships)
    }

    /// - Parameters:
    ///   - time: of changes before it, in milliseconds since 1970: whoever works on one is not looked for.
    ///   - limit: how many at the most.
    /// - Returns: those, of each membership in the order in which they came.
    /// - Throws: what the store says.
    package func before(_ time: Int64, limit: Int) throws(MongoError) -> [Untold] {
        let filter = BSONDocument { writer in writer.append(Field.newsAt) { $0.append("$lt", date: time) } }
        let options = MongoFindOptions(limit: limit, maximumTime: .seconds(5), readsMajority: true)
        return try memberships.find(filter, options: options).all().flatMap { document -> [Untold] in
            guard let service = document["\(Field.service)"]?.string,
                let account = document["\(Field.account)"]?.string
            else { return [] }
            let news = (document["\(Field.news)"]?.elements ?? []).compactMap(\.document).compactMap(
                MembershipNews.init
            )
            return news.filter { $0.at < time }.map { Untold(service: service, account: account, news: $0) }
        }
    }

    /// Something is told, or was taken back.
    ///
    /// - Throws: when it is not known to be durable: it is told once more then.
    package func settle(_ untold: Untold) throws(MongoError) {
        let news = untold.news
        let ofIt = BSONDocument { writer in
            writer.append(Field.service, string: untold.service)
            writer.append(Field.account, string: untold.account)
        }
        let pull = BSONDocument { writer in
            writer.append("$pull") { pull in
                pull.append(Field.news) { $0.append(Field.request, string: news.origin.request) }
            }
        }
        guard let left = try memberships.findOneAndUpdate(ofIt, update: pull), left["\(Field.goneAt)"] != nil,
            left["\(Field.news)"]?.elements?.isEmpty ?? true
        else { return }
        // One that has ended was kept to be told of alone; they may have come again since.
        let ended = BSONDocument { writer in
            writer.append(
                "$and",
                array: { all in
                    all.append(document: ofIt)
                    all.append { $0.append(Field.goneAt) { $0.append("$exists", bool: true) } }
                    all.append { $0.append(Field.anyNews) { $0.append("$exists", bool: false) } }
                }
            )
        }
        // No later than it is to go already.
        let end = BSONDocument { writer in writer.append("$min") { $0.append(Field.expiresAt, date: news.at) } }
        let bulk = memberships.bulk()
        try bulk.updateOne(filter: ended, update: end, upsert: false)
        try bulk.execute().requireDurable("write to \(ServiceLayout.memberships)")
    }
}
