package import WaybillMongo

/// Devices by their own ids or by the user that they name: with one of either.
package struct DeviceOwners: Hashable, Sendable {
    /// The apps' own installation ids.
    package var devices: [String]
    package var users: [String]

    package init(devices: [String], users: [String]) {
        self.devices = devices
        self.users = users
    }

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
    /// - Returns: the devices with a link that holds, and the users without any link.
    /// - Throws: what the store says.
    package func owners(among users: [String], app: String) throws(MongoError) -> DeviceOwners {
        typealias Field = DeviceRegistry.LinkField
        let filter = BSONDocument { writer in
            writer.append(Field.user) { condition in
                condition.append(anyOf: users)
            }
            writer.append(Field.app, string: app)
        }
        var linked: Set<String> = []
        var devices: Set<String> = []
        let cursor = links.find(filter, options: MongoFindOptions(readsMajority: true))
        while let document = try cursor.next() {
            guard let user = document["\(Field.user)"]?.string, let device = document["\(Field.device)"]?.string else {
                continue
            }
            linked.insert(user)
            if document["\(Field.enabled)"]?.bool == true { devices.insert(device) }
        }
        return DeviceOwners(devices: devices.sorted(), users: users.filter { !linked.contains($0) })
    }
}
