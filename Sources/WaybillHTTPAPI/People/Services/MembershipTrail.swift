import WaybillAccounts
import WaybillMongo
import WaybillNotifications
import WaybillThreads

/// What stays of a change of who belongs to a service: a row of the audit, and who hears of it, by events, webhooks and mail.
///
/// Each step may be done twice, and the mark in the membership's document goes last: so whoever ends in between leaves the rest to
/// others.
///
/// *Thread:* its client's. *Blocking:* up to the limits of the pool.
struct MembershipTrail {
    let door: FrontDoor
    let client: MongoClient

    private var database: String { door.database }
    private var memberships: UntoldMemberships { UntoldMemberships(client: client, database: database) }

    /// - Throws: what the store says; the same again does the rest.
    func tell(_ untold: UntoldMemberships.Untold) throws(MongoError) {
        let (service, other, news) = (untold.service, untold.account, untold.news)
        switch news.kind {
        case .joined(let role):
            try audit(.invitationAccept, untold, role: role)
            try event(.joined(account: other, role), about: other, untold)
        case .changed(let role):
            try audit(.memberChange, untold, role: role)
            try event(.changed(account: other, role), about: other, untold)
        case .removed:
            let isOwn = other == news.account
            try audit(isOwn ? .memberLeave : .memberRemove, untold)
            try event(.left(account: other), about: other, untold)
            if !isOwn {
                try mail(other, news) { mail, person throws(MongoError) in try mail.removed(person, from: service) }
            }
        case .received:
            try transferred(untold, to: other)
            // Where they owned it before, who has given it has the news.
            try memberships.settle(.init(service: service, account: news.account, news: news))
        case .given(let receiver): try transferred(untold, to: receiver)
        }
        try memberships.settle(untold)
    }

    /// A service has another owner; both are told by mail, who has given it once that is so.
    private func transferred(_ untold: UntoldMemberships.Untold, to other: String) throws(MongoError) {
        let (service, news) = (untold.service, untold.news)
        try audit(.serviceTransfer, untold, subject: other, role: .owner)
        try event(.changed(account: other, .owner), about: other, untold)
        let giver = try ServiceReader(client: client, database: database).members(of: service)
            .first { $0.account == news.account }
        // Not where somebody has made them something else meanwhile.
        if giver?.role == .manager {
            try event(.changed(account: news.account, .manager), about: news.account, untold)
        }
        try mail(other, news) { mail, person throws(MongoError) in try mail.serviceReceived(person, service) }
        // Whose process has ended in between owns it still.
        guard giver?.role != .owner else { return }
        try mail(news.account, news) { mail, person throws(MongoError) in try mail.serviceGiven(person, service) }
    }

    /// The same of all that somebody has left untold; the changes of one membership in their order.
    ///
    /// - Parameters:
    ///   - deadline: no further one is begun after it; the next sweep goes on.
    ///   - now: milliseconds since 1970.
    /// - Returns: those of which nobody could be told, each with what the store has said.
    /// - Throws: what the store says, where it tells of none.
    func tellOthers(
        until deadline: MonotonicTime,
        now: Int64
    ) throws(MongoError) -> [(UntoldMemberships.Untold, MongoError)] {
        let found = try memberships.before(now - Sweep.patience, limit: Sweep.mostAtOnce)
        let ofEach = Dictionary(grouping: found) { [$0.service, $0.account] }
        return Sweep.each(of: ofEach.values.shuffled().joined(), until: deadline) { untold throws(MongoError) in
            try tell(untold)
        }
    }

    // MARK: -

    private func audit(
        _ action: AuditEntry.Action,
        _ untold: UntoldMemberships.Untold,
        subject: String? = nil,
        role: ServiceRole? = nil
    ) throws(MongoError) {
        let news = untold.news
        try AuditWriter(client: client, database: database).writeOnce(
            AuditEntry(
                action,
                byPerson: news.account,
                in: untold.service,
                subject: subject ?? untold.account,
                role: role,
                how: news.origin.how,
                request: news.origin.request,
                at: news.at
            )
        )
    }

    /// Tells the service's people and its webhooks, of a moment that is the same for whoever tells it.
    private func event(
        _ happening: ServiceHappening,
        about account: String,
        _ untold: UntoldMemberships.Untold
    ) throws(MongoError) {
        let (at, request) = (untold.news.at, untold.news.origin.request)
        try ServiceEvents(client: client, database: database)
            .changedMember(account, of: untold.service, by: request, at: at)
        try ServiceWebhookEvents(client: client, database: database).tell(happening, of: untold.service, at: at)
    }

    private func mail(
        _ id: String,
        _ news: MembershipNews,
        _ write: (AccountMail, Account) throws(MongoError) -> Void
    ) throws(MongoError) {
        guard let person = try AccountReader(client: client, database: database).account(id: id),
            person.suspendedAt == nil
        else { return }
        try write(AccountMail(door: door, client: client, now: news.at), person)
    }
}
