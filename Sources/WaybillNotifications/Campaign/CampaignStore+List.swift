import WaybillEncoding
package import WaybillMongo

extension CampaignStore {
    private typealias Field = CampaignLayout.Field

    /// Behind which campaign a page begins.
    package struct Position: Hashable, Sendable {
        let createdAt: Int64
        let id: String

        package init(_ campaign: Campaign) {
            createdAt = campaign.createdAt
            id = campaign.id
        }

        /// - Returns: `nil` for a text that is none.
        package init?(_ text: String) {
            guard let dot = text.firstIndex(of: "."), let time = Int64(text[..<dot]), time >= 0 else { return nil }
            let name = text[text.index(after: dot)...]
            guard (1...Self.bytes).contains(name.utf8.count) else { return nil }
            createdAt = time
            id = String(name)
        }

        /// Those of a client, a slash and a name, and more than either may have.
        private static let bytes = 512

        package var text: String { "\(createdAt).\(id)" }
    }

    /// The newest ones.
    ///
    /// - Parameters:
    ///   - limit: at most so many.
    ///   - after: the last one of the page before; `nil` for the first page.
    /// - Returns: fewer than the limit at the end.
    /// - Throws: what the store says.
    package func list(limit: Int, after: Position? = nil) throws(MongoError) -> [Campaign] {
        let options = MongoFindOptions(
            sort: BSONDocument { writer in
                writer.append(Field.createdAt, int: -1)
                writer.append(Field.id, int: -1)
            },
            limit: limit,
            maximumTime: Self.maximumTime,
            readsMajority: true
        )
        let filter = BSONDocument { writer in
            guard let after else { return }
            writer.append(Field.createdAt) { $0.append("$lte", date: after.createdAt) }
            writer.append(
                "$or",
                array: { ways in
                    ways.append { $0.append(Field.createdAt) { $0.append("$lt", date: after.createdAt) } }
                    ways.append { $0.append(Field.id) { $0.append("$lt", string: after.id) } }
                }
            )
        }
        return try collection.find(scoped(filter), options: options).all().compactMap(Campaign.init)
    }
}
