import WaybillCore
package import WaybillDeviceRegistry
import WaybillEncoding
package import WaybillMessages
package import WaybillMongo

/// Which devices of the registry a selection means.
///
/// *Thread:* its client's. *Blocking:* up to the limits of the pool and the time limit.
package struct AudienceReader {
    private let devices: DeviceReader
    private let links: DeviceLinks

    /// - Parameters:
    ///   - client: a thread's own.
    ///   - database: its name.
    ///   - isLate: whether nobody waits any more for what is counted; a registry of millions takes a while.
    package init(client: MongoClient, database: String, isLate: @escaping () -> Bool = { false }) {
        devices = DeviceReader(client: client, database: database, isLate: isLate)
        links = DeviceLinks(client: client, database: database)
    }

    /// How many devices it is, by the registry as it stands.
    ///
    /// - Parameters:
    ///   - selection: which.
    ///   - client: whose audience it is, as with ``page(_:of:after:limit:)``: what is counted is what would be reached.
    ///   - counted: told from time to time how many there are so far.
    /// - Returns: the number.
    /// - Throws: what the store says.
    package func count(
        _ selection: AudienceSelection,
        of client: String,
        counted: (Int) -> Void = { _ in }
    ) throws(MongoError) -> Int {
        guard let query = try query(selection, of: client) else { return 0 }
        return try devices.count(query, counted: counted)
    }

    /// How many of them take the same lanes.
    ///
    /// - Parameters:
    ///   - selection: which.
    ///   - client: whose audience it is, as with ``page(_:of:after:limit:)``.
    ///   - byZone: whether those of each time zone are counted on their own.
    ///   - counted: told from time to time how many there are so far.
    /// - Returns: all that ``count(_:of:counted:)`` counts.
    /// - Throws: what the store says.
    package func shares(
        _ selection: AudienceSelection,
        of client: String,
        byZone: Bool = false,
        counted: (Int) -> Void = { _ in }
    ) throws(MongoError) -> [DeviceShare] {
        guard let query = try query(selection, of: client) else { return [] }
        return try devices.shares(query, byZone: byZone, counted: counted)
    }

    /// The next of them, in the order of their documents' ids.
    ///
    /// - Parameters:
    ///   - selection: which.
    ///   - client: whose audience it is: accounts of people, and phones that name no other id, are reached by the client alone that
    ///     the registry names, which is the front door's; no other producer speaks to them.
    ///   - after: the last one before; `nil` for the beginning.
    ///   - limit: at most so many.
    ///   - effort: how much is looked at, and how long.
    /// - Returns: fewer than the limit at the end, and where few of those that were looked at are meant; none then, too.
    /// - Throws: what the store says.
    package func page(
        _ selection: AudienceSelection,
        of client: String,
        after: BSONIdentifier?,
        limit: Int,
        effort: DevicePageEffort? = nil
    ) throws(MongoError) -> DevicePage<DevicePosition> {
        guard let query = try query(selection, of: client) else {
            return DevicePage(devices: [], after: after, isLast: true)
        }
        return try devices.page(query, after: after, limit: limit, effort: effort)
    }

    /// Whether an app has a device, whatever its state.
    func hasDevice(of app: String) throws(MongoError) -> Bool { try devices.hasDevice(of: app) }

    /// The first apps of the registry by their names, at most so many.
    func apps(limit: Int) throws(MongoError) -> [String] { try devices.apps(limit: limit) }

    /// - Returns: `nil` if it can mean no device.
    private func query(_ selection: AudienceSelection, of client: String) throws(MongoError) -> DeviceQuery? {
        var query = DeviceQuery(isEnabled: true)
        query.apps = selection.apps
        if selection.namesAccounts { query.clients = [client] }
        switch selection.kind {
        case .devices(let names): query.owners = DeviceOwners(devices: names, users: [])
        case .users(let users):
            // A user may be on a phone in one of the apps and not in another.
            for app in selection.apps {
                let owners = try links.owners(among: users, app: app)
                if !owners.isEmpty { query.ownersByApp[app] = owners }
            }
            guard !query.ownersByApp.isEmpty else { return nil }
            query.apps = []
        case .filter(let filter):
            query.tags = filter.tags
            query.locales = filter.locales
            query.timeZones = filter.timeZones
            query.otherTimeZones = filter.otherTimeZones
            query.versionFrom = filter.versionFrom
            query.versionBelow = filter.versionBelow
            query.heardSince = filter.seenSince
            query.heardBefore = filter.seenBefore
        }
        return query
    }
}
