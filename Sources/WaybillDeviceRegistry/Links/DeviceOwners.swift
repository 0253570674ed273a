import WaybillEncoding
package import WaybillMongo

/// Devices by their own ids, by their documents or by the user that they name: with one of any.
package struct DeviceOwners: Hashable, Sendable {
    /// The apps' own installation ids.
    package var devices: [String]
    /// The documents' own ids.
    package var documents: [BSONIdentifier]
    package var users: [String]

    package init(devices: [String], documents: [BSONIdentifier] = [], users: [String]) {
        self.devices = devices
        self.documents = documents
        self.users = users
    }

    package var isEmpty: Bool { devices.isEmpty && documents.isEmpty && users.isEmpty }

    func append(to writer: BSONWriter) {
        typealias Field = DeviceRegistry.Field
        writer.append(
            "$or",
            array: { ways in
                for (field, names) in [(Field.device, devices), (Field.user, users)] {
                    ways.append { way in
                        way.append(field) { condition in
                            condition.append(anyOf: names)
                        }
                    }
                }
                guard !documents.isEmpty else { return }
                ways.append { way in
                    way.append("_id") { condition in
                        condition.append("$in", array: { all in for id in documents { all.append(identifier: id) } })
                    }
                }
            }
        )
    }
}

extension DeviceLinks {
    /// How the devices of users are found: by the links between users and phones, or, for a user who has never had a link in
    /// an app, by what the devices themselves say.
    ///
    /// - Parameters:
    ///   - users: who.
    ///   - app: of which app.
    /// - Returns: what the links that hold lead to, and the users without any link.
    /// - Throws: what the store says.
    package func owners(among users: [String], app: String) throws(MongoError) -> DeviceOwners {
        typealias Field = DeviceRegistry.LinkField
        let filter = BSONDocument { writer in
            writer.append(Field.user) { condition in
                condition.append(anyOf: users)
            }
            writer.append(Field.app, string: app)
        }
        var linked: Set<ExactName> = []
        var devices: Set<ExactName> = []
        var byToken: [DeviceLink] = []
        let cursor = links.find(filter, options: MongoFindOptions(readsMajority: true))
        while let document = try cursor.next() {
            guard let link = DeviceLink(document) else { continue }
            linked.insert(ExactName(link.user))
            guard link.isEnabled else { continue }
            if link.token == nil { devices.insert(ExactName(link.device)) } else { byToken.append(link) }
        }
        var documents: Set<BSONIdentifier> = []
        for start in stride(from: 0, to: byToken.count, by: Self.linksOfOne) {
            let some = Array(byToken[start..<min(start + Self.linksOfOne, byToken.count)])
            documents.formUnion(try rows(of: some).joined().map(\.id))
        }
        return DeviceOwners(
            devices: devices.sortedTexts,
            // Always in the same order: the bytes of a query are compared.
            documents: documents.sorted { $0.storedText < $1.storedText },
            users: users.filter { !linked.containsExactly($0) }
        )
    }

    /// So many links are followed by one question.
    private static let linksOfOne = 1000
}
