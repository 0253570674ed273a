package import WaybillMongo

/// Who is told something by a service, and on whose behalf.
package struct ServiceAudience: Hashable, Sendable {
    /// Why somebody who belongs to a service is not told.
    package enum Silence: String, Hashable, Sendable {
        /// They have switched the level off.
        case level
        /// They have muted the service for a while.
        case muted
        /// It is night where they are, or what they call so.
        case quietHours = "quiet_hours"
    }

    /// The account's id.
    package let owner: String
    /// Accounts' ids, each once; nobody who is suspended or has gone.
    package let accounts: [String]
    /// Who else belongs to the service, and why they are not told; nobody who is suspended or has gone.
    package var silenced: [String: Silence] = [:]

    /// Of these people, one alone.
    package func only(_ account: String) -> ServiceAudience {
        ServiceAudience(
            owner: owner,
            accounts: accounts.filter { $0 == account },
            silenced: silenced.filter { $0.key == account }
        )
    }
}

extension Membership {
    /// Why this person is not told; `nil`: they are.
    ///
    /// - Parameters:
    ///   - level: of the notification.
    ///   - quietHours: the person's; `nil`: none.
    ///   - now: milliseconds since 1970.
    /// - Returns: the first reason.
    package func silence(
        of level: NotificationLevel,
        quietHours: PersonalQuietHours?,
        now: Int64
    ) -> ServiceAudience.Silence? {
        guard levels.includes(level) else { return .level }
        if let mutedUntil, now < mutedUntil { return .muted }
        guard let quietHours, !level.passesQuietHours else { return nil }
        return quietHours.contains(now) ? .quietHours : nil
    }
}

extension ServiceReader {
    /// Who is told of a level by a service.
    ///
    /// - Parameters:
    ///   - level: of what it says.
    ///   - service: its id.
    ///   - now: milliseconds since 1970.
    /// - Returns: `nil` for a service that may say nothing: it is suspended, or its owners' accounts are, or have gone.
    /// - Throws: what the store says.
    package func audience(
        of level: NotificationLevel,
        in service: String,
        now: Int64
    ) throws(MongoError) -> ServiceAudience? {
        guard let details = try self.service(service) else { return nil }
        return try audience(of: level, in: details, now: now)
    }

    /// The same, where the service was read just before.
    package func audience(
        of level: NotificationLevel,
        in service: ServiceDetails,
        now: Int64
    ) throws(MongoError) -> ServiceAudience? {
        let members = service.suspendedAt == nil ? try members(of: service.id) : []
        return try audiences([(level, ShownService(service: service, members: members))], now: now)[0]
    }

    /// The same for several, in one question for all of them.
    ///
    /// - Parameters:
    ///   - told: the level of what is said, and the service that says it.
    ///   - now: milliseconds since 1970.
    /// - Returns: one for each, as ``audience(of:in:now:)-(NotificationLevel,String,_)`` has it.
    /// - Throws: what the store says.
    package func audiences(
        _ told: [(level: NotificationLevel, shown: ShownService)],
        now: Int64
    ) throws(MongoError) -> [ServiceAudience?] {
        let speaking = told.map { $0.shown.service.suspendedAt == nil ? $0.shown.members : [] }
        let usable = try accounts.quietHours(ofUsable: Array(Set(speaking.joined().map(\.account))))
        return zip(told, speaking).map { told, members in
            Self.audience(of: told.level, among: members, usable, now: now)
        }
    }

    private static func audience(
        of level: NotificationLevel,
        among members: [Membership],
        _ usable: [String: PersonalQuietHours?],
        now: Int64
    ) -> ServiceAudience? {
        guard let owner = members.first(where: { $0.role == .owner && usable[$0.account] != nil }) else { return nil }
        var told: [String] = []
        var silenced: [String: ServiceAudience.Silence] = [:]
        for member in members {
            guard let quiet = usable[member.account] else { continue }
            if let silence = member.silence(of: level, quietHours: quiet, now: now) {
                silenced[member.account] = silence
            } else {
                told.append(member.account)
            }
        }
        return ServiceAudience(owner: owner.account, accounts: told, silenced: silenced)
    }
}
