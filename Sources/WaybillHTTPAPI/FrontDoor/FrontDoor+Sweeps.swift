import WaybillAccounts
import WaybillMongo
import WaybillOutbox
import WaybillThreads

/// What is looked for again and again, and done by whichever process finds it; what could not be done is told once, and comes again.
extension FrontDoor {
    /// What each of them could not do last.
    struct Undone: Sendable {
        fileprivate let keyEnds = ToldOnce<String>()
        fileprivate let disabledWebhooks = ToldOnce<String>()
        fileprivate let deletions = ToldOnce<APIEvent.Deleted>()
        fileprivate let memberships = ToldOnce<UntoldMemberships.Untold>()
    }

    /// Has people told of their services' keys that end soon.
    func tellOfKeyEnds() async {
        let (door, now) = (self, WallClock.milliseconds())
        let failed = await sweep { client, deadline throws(MongoError) in
            let notices = ServiceKeyNotices(client: client, database: door.database)
            let due = try notices.due(limit: Sweep.mostAtOnce, now: now).shuffled()
            return Sweep.each(of: due, until: deadline) { key throws(MongoError) in
                if let notice = try notices.notice(of: key, now: now) {
                    for person in notice.people {
                        try AccountMail(door: door, client: client, now: now).keyEnds(notice, person)
                    }
                    try ServiceWebhookEvents(client: client, database: door.database).tell(
                        .keyExpiring(id: key.id, days: notice.days, end: key.endsAt),
                        of: notice.service.id,
                        at: now
                    )
                }
                try notices.settle(key, now: now)
            }
        }
        guard undone.keyEnds.isNews(failed.map(\.0.id)) else { return }
        note(failed) { .keyEnd($0.id, service: $0.service) }
    }

    /// Has people told of their services' webhooks that Waybill has disabled, and other webhooks of these services.
    func tellOfDisabledWebhooks() async {
        let (door, now) = (self, WallClock.milliseconds())
        let failed = await sweep { client, deadline throws(MongoError) in
            let endpoints = WebhookEndpoints(client: client, database: door.database)
            let untold = try endpoints.givenUpUntold().shuffled()
            return Sweep.each(of: untold, until: deadline) { endpoint throws(MongoError) in
                guard let service = endpoint.owner.serviceID else { return }
                for person in try ServiceReader(client: client, database: door.database).managers(of: service) {
                    try AccountMail(door: door, client: client, now: now).webhookDisabled(endpoint, person)
                }
                try ServiceWebhookEvents(client: client, database: door.database).tell(
                    .webhookDisabled(id: endpoint.id, activeSince: endpoint.activeSince, cause: endpoint.reason),
                    of: service,
                    at: now
                )
                try endpoints.noteTold(endpoint, now: now)
            }
        }
        guard undone.disabledWebhooks.isNews(failed.map(\.0.id)) else { return }
        note(failed) { .disabledWebhook($0.id, service: $0.owner.serviceID ?? "") }
    }

    /// Ends deletions of services, and then of accounts, that somebody has begun and not ended.
    func finishDeletions() async {
        let (door, now) = (self, WallClock.milliseconds())
        let services = await sweep { client, deadline throws(MongoError) in
            try ServiceEnd(door: door, client: client).finishOthers(until: deadline, now: now)
                .map { (APIEvent.Deleted.service($0.service), $1) }
        }
        let accounts = await sweep { client, deadline throws(MongoError) in
            try AccountDeparture(door: door, client: client, now: now).finishOthers(until: deadline)
                .map { (APIEvent.Deleted.account($0.id), $1) }
        }
        let failed = services + accounts
        guard undone.deletions.isNews(failed.map(\.0)), let (what, error) = failed.last else { return }
        report(.deletionHeldUp(what, others: failed.count - 1, reason: "\(error)"))
    }

    /// Tells of changes of who belongs to a service that nobody has told of.
    func tellOfMemberships() async {
        let (door, now) = (self, WallClock.milliseconds())
        let failed = await sweep { client, deadline throws(MongoError) in
            try MembershipTrail(door: door, client: client).tellOthers(until: deadline, now: now)
        }
        if undone.memberships.isNews(failed.map(\.0)) { noteUntold(failed) }
    }

    /// Reports changes of which nobody could be told.
    func noteUntold(_ failed: [(UntoldMemberships.Untold, MongoError)]) {
        note(failed) { .membership(service: $0.service) }
    }

    private func note<What>(_ failed: [(What, MongoError)], _ untold: (What) -> APIEvent.Untold) {
        guard let (what, error) = failed.last else { return }
        report(.untold(untold(what), others: failed.count - 1, reason: "\(error)"))
    }

    /// What a sweep could not do; nothing of a store that answers nothing, which is told of by whoever looks after it.
    private func sweep<What: Sendable>(
        _ body: @escaping @Sendable (MongoClient, _ deadline: MonotonicTime) throws(MongoError) -> [(What, MongoError)]
    ) async -> [(What, MongoError)] {
        let deadline = MonotonicTime.now().advanced(by: APILimits.handlingTime)
        let failed = try? await people.ask(until: deadline) { client throws(MongoError) in try body(client, deadline) }
        return failed ?? []
    }
}
