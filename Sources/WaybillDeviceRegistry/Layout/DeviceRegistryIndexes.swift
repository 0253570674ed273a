package import WaybillMongo

/// The indexes of the device registry.
package enum DeviceRegistryIndexes {
    private typealias Field = DeviceRegistry.Field
    private typealias EarlierField = DeviceRegistry.EarlierField
    private typealias LinkField = DeviceRegistry.LinkField

    /// Creates what is missing; safe to repeat, nothing is dropped or changed.
    ///
    /// Pruning depends on the unique index: it is what keeps an upsert from making a second document for a token.
    ///
    /// - Throws: ``WaybillMongo/MongoError/Code/indexConflict`` naming an index that exists with other settings, or one by which
    ///   the server deletes devices.
    package static func ensure(client: MongoClient, database: String) throws(MongoError) -> [IndexChange] {
        let collection = devices(client, database)
        let changes = try collection.ensureIndexes(ofDevices)
        try collection.refuseForeignExpiry(except: [])
        let links = client.collection(database: database, name: DeviceRegistry.links)
        return try changes + links.ensureIndexes(ofLinks)
    }

    /// Indexes that are not there, or not complete yet, as `collection.index`.
    package static func missing(client: MongoClient, database: String) throws(MongoError) -> [String] {
        try devices(client, database).missing(ofDevices)
            + client.collection(database: database, name: DeviceRegistry.links).missing(ofLinks)
    }

    private static let ofDevices = [unique, byUser, byApp, byDevice, earlier]
    private static let ofLinks = [uniqueLink, linksOfUser, linksOfToken]

    /// Declares nothing: who prunes all day has no right to.
    ///
    /// - Throws: ``WaybillMongo/MongoError/Code/indexConflict`` if the index that pruning depends on is not there, has other
    ///   settings, or is joined by one by which the server deletes devices, or by that of the earlier layout.
    package static func require(client: MongoClient, database: String) throws(MongoError) {
        if try !devices(client, database).hasIndex(unique) {
            throw conflict(
                database,
                "\(DeviceRegistry.collection): the index \(unique.name) is missing, without which a token could have several documents: waybill init"
            )
        }
        try requireNoFormer(client: client, database: database)
        try refuseForeignExpiry(client: client, database: database)
    }

    /// Refuses the unique index of the earlier layout: with it, there is room for one document of each environment.
    ///
    /// - Throws: ``WaybillMongo/MongoError/Code/indexConflict`` with the command that drops it.
    package static func requireNoFormer(client: MongoClient, database: String) throws(MongoError) {
        guard let index = try leftovers(client: client, database: database).first else { return }
        throw conflict(
            database,
            """
            the index \(index.name) is of an earlier release and leaves no room for devices; stop what that release still runs, \
            drop it in mongosh: \(index.command) and then: waybill devices upgrade
            """
        )
    }

    /// Indexes that the earlier layout needed, with the commands for mongosh that drop them.
    package static func leftovers(client: MongoClient, database: String) throws(MongoError)
        -> [(name: String, command: String)]
    {
        try devices(client, database).leftovers(of: [former])
    }

    /// Refuses any index by which the server deletes devices: nothing is erased from the registry.
    ///
    /// - Throws: ``WaybillMongo/MongoError/Code/indexConflict`` naming the index.
    package static func refuseForeignExpiry(client: MongoClient, database: String) throws(MongoError) {
        try devices(client, database).refuseForeignExpiry(except: [])
    }

    private static func devices(_ client: MongoClient, _ database: String) -> MongoCollection {
        client.collection(database: database, name: DeviceRegistry.collection)
    }

    private static func conflict(_ database: String, _ reason: String) -> MongoError {
        MongoError(
            code: .indexConflict,
            operation: "examine the indexes of \(database).\(DeviceRegistry.collection)",
            reason: reason
        )
    }

    /// Of documents of this layout only: those of the earlier one have none of these fields, and would be each other's
    /// duplicates.
    private static let unique = MongoIndex(
        name: "token_app_environment_provider",
        // The token in front: it is asked for alone, too, and nothing else tells as many devices apart.
        keys: [
            .ascending("\(Field.token)"), .ascending("\(Field.app)"), .ascending("\(Field.environment)"),
            .ascending("\(Field.provider)"),
        ],
        isUnique: true,
        partialFilter: exists(Field.token)
    )

    private static let byUser = MongoIndex(
        name: "user",
        keys: [.ascending("\(Field.user)")],
        partialFilter: exists(Field.user)
    )

    /// An app's devices that may be pushed to, page after page.
    private static let byApp = MongoIndex(
        name: "app_enabled_id",
        keys: [.ascending("\(Field.app)"), .ascending("\(Field.enabled)"), .ascending("_id")]
    )

    private static let byDevice = MongoIndex(
        name: "device",
        keys: [.ascending("\(Field.device)")],
        partialFilter: exists(Field.device)
    )

    private static let uniqueLink = MongoIndex(
        name: "app_device_user",
        keys: [.ascending("\(LinkField.app)"), .ascending("\(LinkField.device)"), .ascending("\(LinkField.user)")],
        isUnique: true
    )

    private static let linksOfUser = MongoIndex(
        name: "user_app_enabled",
        keys: [.ascending("\(LinkField.user)"), .ascending("\(LinkField.app)"), .ascending("\(LinkField.enabled)")]
    )

    /// Who is logged in by a token, under whatever id.
    private static let linksOfToken = MongoIndex(
        name: "token",
        keys: [.ascending("\(LinkField.token)")],
        partialFilter: exists(LinkField.token)
    )

    /// Documents of the earlier layout: empty once they are converted, so that it costs nothing to ask for them.
    private static let earlier = MongoIndex(
        name: "earlier_layout",
        keys: [.ascending("\(EarlierField.deviceToken)")],
        partialFilter: exists(EarlierField.deviceToken)
    )

    /// What release 0.2 made.
    private static let former = MongoIndex(
        name: "device_token_topic_environment",
        keys: [
            .ascending("\(EarlierField.deviceToken)"), .ascending("\(EarlierField.topic)"),
            .ascending("\(Field.environment)"),
        ],
        isUnique: true
    )

    private static func exists(_ field: StaticString) -> BSONDocument {
        BSONDocument { $0.append(field) { $0.append("$exists", bool: true) } }
    }
}
