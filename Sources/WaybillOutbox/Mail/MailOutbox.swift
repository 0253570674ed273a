import WaybillEncoding
package import WaybillMongo

/// The mails that wait to be sent; each write is in a majority's journal when it returns.
///
/// A mail is put in once, by its id, and taken by one at a time. Who takes it and ends without a word loses nothing: when
/// the lease is over, the next one sends the same bytes under the same `Message-ID`.
///
/// *Thread:* its client's. *Blocking:* up to the limits of the pool and the time limit.
package struct MailOutbox {
    private typealias Field = Outbox.MailField

    private enum State {
        static let waiting = "waiting"
        static let sent = "sent"
        static let failed = "failed"
    }

    /// How long a mail that was sent is remembered: its id sends no second one for that long.
    package static let keeping: Int64 = 7 * 86_400_000
    /// How long one is remembered that could not be sent.
    package static let keepingFailed: Int64 = 30 * 86_400_000
    private static let maximumTime = Duration.seconds(5)

    private let collection: MongoCollection
    private let claims: GuardedClaims

    package init(client: MongoClient, database: String) {
        collection = client.collection(database: database, name: Outbox.mail)
        claims = GuardedClaims(collection, maximumTime: Self.maximumTime)
    }

    /// Puts a mail in.
    ///
    /// - Parameters:
    ///   - id: the mail's own; whoever does the same again uses the same. It stands in logs: nothing secret, no address.
    ///   - mail: what to send.
    ///   - now: milliseconds since 1970.
    ///   - due: when it is sent at the earliest, in milliseconds since 1970; `nil`: at once.
    ///   - notAfter: when it expires, such as the end of its link, in milliseconds since 1970.
    /// - Returns: false if a mail of this id was put in before: that one goes, or has gone.
    /// - Throws: when it is not known to be durable; do the same again then.
    package func enqueue(
        id: String,
        _ mail: Mail,
        now: Int64,
        due: Int64? = nil,
        notAfter: Int64? = nil
    ) throws(MongoError) -> Bool {
        let document = BSONWriter(capacity: mail.text.utf8.count + mail.html.utf8.count + 512)
        document.append(Field.id, string: id)
        document.append(Field.recipient, string: mail.recipient.text)
        document.append(Field.subject, string: mail.subject)
        document.append(Field.text, string: mail.text)
        document.append(Field.html, string: mail.html)
        document.append(Field.state, string: State.waiting)
        document.append(Field.createdAt, date: now)
        document.append(Field.due, date: due ?? now)
        if let notAfter { document.append(Field.notAfter, date: notAfter) }
        document.append(Field.attempts, int: 0)
        let bulk = collection.bulk()
        try bulk.insert(document)
        let result = bulk.execute()
        if result.failure == nil, result.writeErrors.first?.isDuplicateID == true { return false }
        try result.requireDurable("write to \(Outbox.mail)")
        return true
    }

    /// Takes a mail back that nobody has begun to send, and erases what it said.
    ///
    /// - Parameters:
    ///   - id: the mail's own.
    ///   - now: milliseconds since 1970.
    /// - Throws: when it is not known to be durable; the mail may go then.
    package func withdraw(id: String, now: Int64) throws(MongoError) {
        let filter = BSONDocument { writer in
            writer.append(Field.id, string: id)
            writer.append(Field.state, string: State.waiting)
            writer.append(Field.attempts, int: 0)
        }
        try write(filter, Self.end(State.failed, error: "what it tells has not happened", now: now, expiresAt: now))
    }

    /// Takes the mail that has been due for longest.
    ///
    /// - Parameters:
    ///   - now: milliseconds since 1970.
    ///   - time: how long it is nobody else's; longer than a sending can take.
    ///   - refused: receives each due mail whose claim the server refuses, and why. It ends as failed; where the server refuses
    ///     its end, too, it stays, and this outbox claims it no more.
    /// - Returns: the mail, one attempt further; `nil` if none is due.
    /// - Throws: when it is not known whether one was taken; it is due again later then.
    package func claim(
        now: Int64,
        for time: Duration,
        refused: (_ id: String, _ reason: String) -> Void = { _, _ in }
    ) throws(MongoError) -> ClaimedMail? {
        let lease = Hexadecimal.text(of: (0..<8).map { _ in UInt8.random(in: 0 ... .max) })
        let filter = BSONDocument { writer in
            writer.append(Field.state, string: State.waiting)
            writer.append(Field.due) { $0.append("$lte", date: now) }
        }
        let update = BSONDocument { writer in
            writer.append("$set") { set in
                set.append(Field.lease, string: lease)
                set.append(Field.due, date: now + Int64(time / .milliseconds(1)))
            }
            writer.append("$inc") { $0.append(Field.attempts, int: 1) }
        }
        let failed = { (refusal: MongoError) in
            Self.end(State.failed, error: refusal.refusal, now: now, expiresAt: now + Self.keepingFailed)
        }
        let document = try claims.first(
            filter,
            sort: BSONDocument { $0.append(Field.due, int: 1) },
            update: update,
            end: failed
        ) { refused($0.name, $0.refusal.refusal) }
        return document.flatMap { ClaimedMail($0, lease: lease) }
    }

    /// Notes that a mail has gone, and erases what it said.
    package func noteSent(_ mail: ClaimedMail, now: Int64) throws(MongoError) {
        try finish(mail, State.sent, error: nil, now: now, expiresAt: now + Self.keeping)
    }

    /// Notes that a mail is not tried again, and erases what it said.
    ///
    /// - Parameters:
    ///   - mail: the one that was claimed.
    ///   - error: why; neither an address nor content.
    ///   - now: milliseconds since 1970.
    /// - Throws: when it is not known to be durable.
    package func noteFailed(_ mail: ClaimedMail, error: String, now: Int64) throws(MongoError) {
        try finish(mail, State.failed, error: error, now: now, expiresAt: now + Self.keepingFailed)
    }

    /// Puts a mail back until later.
    ///
    /// - Parameters:
    ///   - mail: the one that was claimed.
    ///   - error: why; neither an address nor content.
    ///   - due: when it is tried again, in milliseconds since 1970.
    ///   - countsAttempt: whether it was an attempt; not where no mail would have gone.
    /// - Throws: when it is not known to be durable; it is due then when its lease is over.
    package func postpone(
        _ mail: ClaimedMail,
        error: String,
        until due: Int64,
        countsAttempt: Bool = true
    ) throws(MongoError) {
        let update = BSONDocument { writer in
            writer.append("$set") { set in
                set.append(Field.due, date: due)
                set.append(Field.error, string: error)
            }
            writer.append("$unset") { $0.append(Field.lease, bool: true) }
            if !countsAttempt { writer.append("$inc") { $0.append(Field.attempts, int: -1) } }
        }
        try write(Self.filter(mail), update)
    }

    /// How many mails have been due for longer than a while: somebody who sends them is missing, or cannot.
    ///
    /// - Parameters:
    ///   - time: how long.
    ///   - now: milliseconds since 1970.
    /// - Returns: how many.
    /// - Throws: what the store says.
    package func overdue(for time: Duration, now: Int64) throws(MongoError) -> Int {
        let filter = BSONDocument { writer in
            writer.append(Field.state, string: State.waiting)
            writer.append(Field.due) { $0.append("$lte", date: now - Int64(time / .milliseconds(1))) }
        }
        return try collection.countDocuments(filter, maximumTime: Self.maximumTime)
    }

    /// How many mails wait, and how many could not be sent lately.
    package func counts() throws(MongoError) -> (waiting: Int, failed: Int) {
        func count(_ state: String) throws(MongoError) -> Int {
            try collection.countDocuments(
                BSONDocument { $0.append(Field.state, string: state) },
                maximumTime: Self.maximumTime
            )
        }
        return (try count(State.waiting), try count(State.failed))
    }

    /// Ends a mail; where the server refuses all that an end has, by its state alone: it must not be sent again.
    private func finish(
        _ mail: ClaimedMail,
        _ state: String,
        error reason: String?,
        now: Int64,
        expiresAt: Int64
    ) throws(MongoError) {
        do throws(MongoError) {
            try write(Self.filter(mail), Self.end(state, error: reason, now: now, expiresAt: expiresAt))
        } catch {
            guard error.isAboutTheQuery else { throw error }
            try write(Self.filter(mail), BSONDocument { $0.append("$set") { $0.append(Field.state, string: state) } })
        }
    }

    private static func end(_ state: String, error: String?, now: Int64, expiresAt: Int64) -> BSONDocument {
        BSONDocument { writer in
            writer.append("$set") { set in
                set.append(Field.state, string: state)
                set.append(Field.doneAt, date: now)
                set.append(Field.expiresAt, date: expiresAt)
                if let error { set.append(Field.error, string: error) }
            }
            writer.append("$unset") { unset in
                for field in [Field.text, Field.html, Field.due, Field.lease] { unset.append(field, bool: true) }
                if error == nil { unset.append(Field.error, bool: true) }
            }
        }
    }

    /// A mail that is still ours; another's, whose lease began when ours ended, stays as it is.
    private static func filter(_ mail: ClaimedMail) -> BSONDocument {
        BSONDocument { writer in
            writer.append(Field.id, string: mail.id)
            writer.append(Field.lease, string: mail.lease)
        }
    }

    private func write(_ filter: BSONDocument, _ update: BSONDocument) throws(MongoError) {
        let bulk = collection.bulk()
        try bulk.updateOne(filter: filter, update: update, upsert: false)
        try bulk.execute().requireDurable("write to \(Outbox.mail)")
    }
}

extension ClaimedMail {
    private typealias Field = Outbox.MailField

    /// Reads a document; `nil` for one that nobody could name.
    fileprivate init?(_ document: BSONDocument, lease: String) {
        func text(_ field: StaticString) -> String? { document["\(field)"]?.string }
        guard let id = text(Field.id) else { return nil }
        self.id = id
        if let recipient = text(Field.recipient), let subject = text(Field.subject), let plain = text(Field.text),
            let html = text(Field.html), let address = try? MailAddress(recipient)
        {
            mail = try? Mail(recipient: address, subject: subject, text: plain, html: html)
        } else {
            mail = nil
        }
        createdAt = document["\(Field.createdAt)"]?.date ?? 0
        notAfter = document["\(Field.notAfter)"]?.date
        attempt = document["\(Field.attempts)"]?.amount ?? 1
        self.lease = lease
    }
}
