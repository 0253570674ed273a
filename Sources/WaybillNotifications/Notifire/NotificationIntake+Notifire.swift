import WaybillAccounts
package import WaybillCore
import WaybillEncoding
package import WaybillMongo
import WaybillTLS

/// What becomes of a message of the thesis' queue.
package enum QueueAnswer: Hashable, Sendable {
    /// Stored; the broker must have it before the message may go.
    case stored(StoredNotification)
    /// The same message came before, and the broker has what it became.
    case sentBefore
    /// There is none, or it may say nothing.
    case unknownService
    /// They do not belong to the service, or may not be told.
    case unknownUser
    /// The payload would have so many bytes.
    case tooLarge(Int)
    /// A dispatcher would not send it.
    case unsendable(BodyRejection)
    /// The service has said too much; so many seconds are to be waited.
    case tooMany(retryAfter: Int)
}

extension NotificationIntake {
    /// Takes a message of the thesis' queue, which tells one person.
    ///
    /// It becomes the notification that `/notify` would have made at that time. A message that comes again is the same one: with
    /// the same ids, from what the store has of it.
    ///
    /// - Parameters:
    ///   - message: as it was read.
    ///   - name: of this message and no other; the same at a redelivery.
    ///   - now: milliseconds since 1970.
    ///   - admit: is told the account of the service's owner, counts, and says how many seconds too early it is; `nil`: it is not.
    /// - Returns: what becomes of it.
    /// - Throws: what the store says; the notification may be stored then.
    package func take(
        _ message: NotifireMessage,
        named name: String,
        now: Int64,
        admit: (_ owner: String) -> Int? = { _ in nil }
    ) throws(MongoError) -> QueueAnswer {
        guard let all = try services.audience(of: message.content.level, in: message.service, now: now) else {
            return .unknownService
        }
        let audience = all.only(message.user)
        guard !audience.accounts.isEmpty || !audience.silenced.isEmpty else { return .unknownUser }
        let payload = message.content.payload(service: message.service, time: message.at)
        guard payload.count <= ServiceNotification.payloadBytes else { return .tooLarge(payload.count) }
        if let seconds = admit(all.owner) { return .tooMany(retryAfter: seconds) }
        var new = notification(
            NotificationName.derived(service: message.service, name: "queue \(name)"),
            of: message.service,
            for: audience,
            try tokens(of: audience.accounts, over: route.lanesOfTheThesis),
            message.content,
            NotificationMessages.Contents(payload: payload),
            Way(lanes: route.lanesOfTheThesis, digest: Self.digest(of: message.content), at: message.at)
        )
        // From now on: one that has waited for long would be forgotten before it can come again.
        new.eraseAt = max(new.eraseAt, now + Int64(keep / .milliseconds(1)))
        if let rejection = rejection(of: new) { return .unsendable(rejection) }
        switch try store.insert([new], now: now)[0].get() {
        case .stored(let stored): return .stored(stored)
        case .sentBefore, .otherContent: return .sentBefore
        }
    }

    /// What `/notify` took, for the queue of the thesis' own sender: a message for each person.
    func handOut(_ new: NewNotification, to queue: String, _ audience: ServiceAudience) -> NewNotification {
        var new = new
        new.queue = queue
        new.devices = 0
        new.messages = audience.accounts.sorted().map { account in
            NotifireMessage(user: account, service: new.service, at: new.at, content: new.content).encoded()
        }
        return new
    }

    /// Claims a notification that somebody has not handed over in time.
    ///
    /// - Parameter now: milliseconds since 1970.
    /// - Returns: `nil`: there is none.
    /// - Throws: what the store says.
    package func claimOverdue(now: Int64) throws(MongoError) -> StoredNotification? {
        guard let stored = try store.claimOverdue(now: now, alsoForQueues: true) else { return nil }
        guard stored.queue != nil, let service = stored.service,
            let key = try services.key(of: service, secrets: secrets)
        else { return stored }
        return stored.showing(key)
    }
}

extension StoredNotification {
    /// With the key that the service has shown, where it goes to the thesis' own sender.
    func showing(_ key: ServiceKey) -> StoredNotification {
        guard queue != nil else { return self }
        var shown = StoredNotification(
            id: id,
            at: at,
            messages: messages.map { NotifireMessage.adding(key, to: $0) },
            queue: queue,
            service: service
        )
        shown.suppressed = suppressed
        shown.reach = reach
        return shown
    }
}
