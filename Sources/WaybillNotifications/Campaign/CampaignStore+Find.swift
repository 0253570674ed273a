import WaybillEncoding
package import WaybillMongo

extension CampaignStore {
    private typealias Field = CampaignLayout.Field

    /// What there is under a name, which is a client's own.
    package enum Found: Sendable {
        case none
        case one(Campaign)
        /// Several clients, these among them, have a campaign of this name.
        case several([String])
        /// There is a document of this name, and it is no campaign: why.
        case unreadable(String)
    }

    /// How many of one name are looked at.
    private static let most = 100

    /// - Parameters:
    ///   - name: of the campaign.
    ///   - client: whose; `nil` where it does not matter, as long as one alone has it.
    /// - Returns: what is there for whoever asks.
    /// - Throws: what the store says.
    package func find(_ name: String, of client: String? = nil) throws(MongoError) -> Found {
        let documents = try documents(name, of: client)
        let found = documents.compactMap(Campaign.init)
        guard let first = found.first else {
            return documents.first.map { .unreadable(Campaign.flaw($0)) } ?? .none
        }
        return found.count == 1 ? .one(first) : .several(found.map { $0.client ?? scope.unnamed }.sorted())
    }

    /// All of one name, of whichever client in scope.
    func all(_ name: String, of client: String? = nil) throws(MongoError) -> [Campaign] {
        try documents(name, of: client).compactMap(Campaign.init)
    }

    private func documents(_ name: String, of client: String?) throws(MongoError) -> [BSONDocument] {
        let filter = BSONDocument { writer in
            writer.append(
                "$or",
                array: { ways in
                    ways.append { $0.append(Field.name, string: name) }
                    ways.append { Self.earlier(name, $0) }
                }
            )
            if let client { owned(by: [client], writer) }
        }
        let options = MongoFindOptions(limit: Self.most, maximumTime: Self.maximumTime, readsMajority: true)
        return try collection.find(scoped(filter), options: options).all()
    }

    /// One of the same name and client that an earlier release has prepared.
    func earlier(_ campaign: Campaign) throws(MongoError) -> Campaign? {
        let filter = BSONDocument { writer in
            Self.earlier(campaign.name, writer)
            owned(by: [campaign.client ?? scope.unnamed], writer)
        }
        let options = MongoFindOptions(maximumTime: Self.maximumTime, readsMajority: true)
        return try collection.findOne(filter, options: options).flatMap(Campaign.init)
    }

    /// A filter, and whose campaigns are there besides.
    func scoped(_ filter: BSONDocument) -> BSONDocument {
        guard let clients = scope.clients else { return filter }
        return BSONDocument { writer in
            writer.append(
                "$and",
                array: { all in
                    all.append(document: filter)
                    all.append { owned(by: clients.sortedTexts, $0) }
                }
            )
        }
    }

    private static func earlier(_ name: String, _ writer: BSONWriter) {
        writer.append(Field.id, string: name)
        writer.append(Field.name) { $0.append("$exists", bool: false) }
    }

    private func owned(by clients: [String], _ writer: BSONWriter) {
        writer.append("content.client") { field in
            field.append(
                "$in",
                array: { names in
                    for client in clients { names.append(string: client) }
                    if clients.containsExactly(scope.unnamed) { names.appendNull() }
                }
            )
        }
    }
}
