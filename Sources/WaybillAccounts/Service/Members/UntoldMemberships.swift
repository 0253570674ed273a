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
    }

    private let memberships: MongoCollection

    package init(client: MongoClient, database: String) {
        memberships = client.collection(database: database, name: ServiceLayout.memberships)
    }

    /// - Parameters:
    ///   - time: of changes before it, in milliseconds since 1970: whoever works on one is not looked for.
    ///   - limit: how many at the most.
    /// - Returns: those, in no order.
    /// - Throws: what the store says.
    package func before(_ time: Int64, limit: Int) throws(MongoError) -> [Untold] {
        let filter = BSONDocument { writer in writer.append(Field.newsAt) { $0.append("$lt", date: time) } }
        let options = MongoFindOptions(limit: limit, maximumTime: .seconds(5), readsMajority: true)
        return try memberships.find(filter, options: options).all().compactMap { document in
            guard let service = document["\(Field.service)"]?.string,
                let account = document["\(Field.account)"]?.string,
                let news = document["\(Field.news)"]?.document.flatMap(MembershipNews.init)
            else { return nil }
            return Untold(service: service, account: account, news: news)
        }
    }

    /// What one request has changed of a membership is told.
    ///
    /// - Parameters:
    ///   - request: the id.
    ///   - account: the account's id of whose it is, or was.
    ///   - service: the service's id.
    /// - Throws: when it is not known to be durable: it is told once more then.
    package func settle(_ request: String, of account: String, in service: String) throws(MongoError) {
        let filter = BSONDocument { writer in
            writer.append(Field.service, string: service)
            writer.append(Field.account, string: account)
            writer.append(Field.newsRequest, string: request)
        }
        let bulk = memberships.bulk()
        let update = BSONDocument { writer in writer.append("$unset") { $0.append(Field.news, int: 1) } }
        try bulk.updateOne(filter: filter, update: update, upsert: false)
        try bulk.execute().requireDurable("write to \(ServiceLayout.memberships)")
    }
}
