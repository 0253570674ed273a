import WaybillAccounts
import WaybillDeviceRegistry
import WaybillMongo
import WaybillNotifications
import WaybillOutbox
import WaybillThreads

/// What is done when the deletion of an account is decided, by the request that has decided it, or by whichever process finds that
/// nobody has ended it.
///
/// Each step may be done twice, and the account's document goes last: so whoever ends in between leaves the rest to others.
///
/// *Thread:* its client's. *Blocking:* up to the limits of the pool.
struct AccountDeparture {
    let door: FrontDoor
    let client: MongoClient
    /// Milliseconds since 1970.
    let now: Int64

    private var database: String { door.database }
    private var deletion: AccountDeletion {
        AccountDeletion(client: client, database: database, rules: door.rules)
    }

    /// Leaves nothing of an account.
    ///
    /// - Throws: what the store says; the same again does the rest.
    func finish(_ departing: DepartingAccount) throws(MongoError) {
        try UserDevices(client: client, database: database).depart(user: departing.id, now: now)
        let services = try deletion.leaveServices(departing, now: now)
        for service in services.ended {
            try WebhookEndpoints.removeAll(ofService: service, client: client, database: database, now: now)
        }
        let events = ServiceEvents(client: client, database: database)
        let webhooks = ServiceWebhookEvents(client: client, database: database)
        for service in services.others {
            try events.changedMember(departing.id, of: service, isThere: false, by: departing.request, at: now)
            // Of a moment that is the same for whoever tells it, and so the same event.
            try webhooks.tell(.left(account: departing.id), of: service, at: departing.decidedAt)
        }
        try ReceiptWriter(client: client, database: database).eraseAll(of: departing.id, now: now)
        try AccountMail(door: door, client: client, now: now).deleted(departing)
        try AuditWriter(client: client, database: database).writeOnce(
            AuditEntry(
                .accountDelete,
                byPerson: departing.id,
                how: "DELETE /v1/account",
                request: departing.request,
                at: departing.decidedAt
            )
        )
        try deletion.erase(departing, now: now)
    }

    /// The same of all that somebody has left unfinished, and takes back what nobody has decided.
    ///
    /// - Parameter deadline: no further one is begun after it; the next sweep goes on.
    /// - Returns: those that could not be ended, each with what the store has said.
    /// - Throws: what the store says, where it tells of none.
    func finishOthers(until deadline: MonotonicTime) throws(MongoError) -> [(DepartingAccount, MongoError)] {
        let time = now - Sweep.patience
        try deletion.withdrawStale(before: time)
        let decided = try deletion.decided(before: time, limit: Sweep.mostAtOnce).shuffled()
        return Sweep.each(of: decided, until: deadline) { departing throws(MongoError) in try finish(departing) }
    }
}
