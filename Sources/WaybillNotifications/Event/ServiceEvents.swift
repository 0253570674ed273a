import WaybillAccounts
package import WaybillMongo

/// Tells people's apps and browsers that a service of theirs, or who belongs to it, has changed.
///
/// It is called when the change is durable: who reads anew what an event names sees the change.
///
/// *Thread:* its client's. *Blocking:* up to the limits of the pool and the time limit.
package struct ServiceEvents {
    private let services: ServiceReader
    private let events: AccountEventWriter

    package init(client: MongoClient, database: String) {
        services = ServiceReader(client: client, database: database)
        events = AccountEventWriter(client: client, database: database)
    }

    /// The ids of those who belong to a service: whoever ends it asks before.
    package func people(of service: String) throws(MongoError) -> [String] {
        try services.members(of: service).map(\.account)
    }

    /// A service is new, has another name or image, or has ended.
    ///
    /// - Parameters:
    ///   - service: its id.
    ///   - people: who is told; `nil`: all who belong to it.
    ///   - request: the id of the request, where the same may be told again.
    ///   - at: milliseconds since 1970.
    /// - Throws: when it is not known to be durable.
    package func changed(
        _ service: String,
        telling people: [String]? = nil,
        by request: String? = nil,
        at: Int64
    ) throws(MongoError) {
        let told = if let people { people } else { try self.people(of: service) }
        try events.append(told.map { AccountEvent(.service, of: service, telling: $0, by: request, at: at) })
    }

    /// What somebody is to a service has changed: they are told, and all who may change who belongs to it.
    ///
    /// - Parameters:
    ///   - account: the id of whoever has come, gone, or has another role.
    ///   - service: the service's id.
    ///   - isThere: whether that account is still there to be told.
    ///   - request: the id of the request, where the same may be told again.
    ///   - at: milliseconds since 1970.
    /// - Throws: when it is not known to be durable.
    package func changedMember(
        _ account: String,
        of service: String,
        isThere: Bool = true,
        by request: String? = nil,
        at: Int64
    ) throws(MongoError) {
        let managers = try services.members(of: service)
            .filter { ServicePermission.of(.readMembers, role: $0.role) == .granted }
            .map(\.account)
        let told = Set(managers).union(isThere ? [account] : [])
        try events.append(
            told.sorted().map {
                AccountEvent(.membership, of: service, about: account, telling: $0, by: request, at: at)
            }
        )
    }

    /// Somebody is told other things by a service, which is nobody else's business.
    package func changedOwn(_ account: String, in service: String, at: Int64) throws(MongoError) {
        try events.append([AccountEvent(.membership, of: service, about: account, telling: account, at: at)])
    }
}
