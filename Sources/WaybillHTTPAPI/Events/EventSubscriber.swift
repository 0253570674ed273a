import WaybillAccounts
import WaybillMongo
import WaybillNotifications
import WaybillTLS
import WaybillThreads

/// Lets somebody who has logged in listen to what changes for their account, however it is sent.
struct EventSubscriber: Sendable {
    let parts: NoticeParts

    /// Begins to listen.
    ///
    /// - Parameters:
    ///   - person: whose events.
    ///   - way: how they are sent.
    ///   - id: of the event behind which they go on; `nil`: from now on. What nobody has made is a place that is forgotten.
    ///   - context: of the request.
    ///   - drop: ends the connection of a client that takes too little.
    /// - Returns: what they listen to.
    /// - Throws: ``Problem`` 429 where the account or its network has all of its streams, 503 where all people have, or the store
    ///   does not hand out what is written.
    func subscribe(
        _ person: Person,
        _ way: AccountEventFeed.Way,
        after id: String?,
        _ context: APIContext,
        drop: @escaping @Sendable () -> Void
    ) async throws -> AccountEventSubscription {
        guard let feed = parts.events else { throw Problem.ending }
        let account = person.account.id
        let place = try parts.places.take(account: account, from: context.neighbourhood)
        let seal = try await parts.cursors.ready(until: context.deadline, for: account)
        guard let seat = feed.join(account, way, drop: drop) else { throw Problem.ending }
        let listener = seat.listener
        let watch = GoneClientWatch(context.channel) { listener.end() }
        try await FeedPhase.awaitOpen({ feed.phase }, listener.signals, until: context.deadline)
        listener.begin(with: try await missed(after: id, context, account, seal))
        return AccountEventSubscription(
            seat: seat,
            seal: seal,
            place: place,
            watch: watch,
            isWelcome: { await isWelcome(person) }
        )
    }

    /// What somebody who comes back has missed; nothing for one who comes the first time, `nil` where nobody knows.
    private func missed(
        after id: String?,
        _ context: APIContext,
        _ account: String,
        _ seal: Seal
    ) async throws(Problem) -> [AccountEventTail.Entry]? {
        guard let id else { return [] }
        guard let position = seal.position(ofEvent: id) else { return nil }
        let door = parts.door
        let found = try await door.ask(door.people, context) { client throws(MongoError) in
            try AccountEventReplay.read(after: position, of: account, client, database: door.database)
        }
        return try found.mapError { Problem(asking: $0) }.get()
    }

    /// Whether a log-in still holds; where the store does not say, it does: nothing comes from there meanwhile.
    private func isWelcome(_ person: Person) async -> Bool {
        let (door, login, account) = (parts.door, person.login.id, person.account.id)
        let (deadline, now) = (MonotonicTime.now().advanced(by: APILimits.handlingTime), WallClock.milliseconds())
        let found = try? await door.people.ask(until: deadline, for: account) { client throws(MongoError) in
            guard let account = try AccountReader(client: client, database: door.database).account(id: account),
                account.suspendedAt == nil
            else { return false }
            return try LoginStore(client: client, database: door.database, rules: door.rules)
                .holding(of: account, now: now).contains { $0.id == login }
        }
        return found ?? true
    }
}
