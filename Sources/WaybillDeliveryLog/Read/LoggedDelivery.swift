package import WaybillCore
package import WaybillMongo

/// A delivery record as it was found.
package struct LoggedDelivery: Hashable, Sendable {
    /// Everything the record holds, in its order: for ``DeliveryJSON``.
    let document: BSONDocument
    package let id: NotificationID?
    /// The id that its message asked for, where that is not the record's: of an invalid notification, or one of an id that
    /// another notification has.
    package let givenID: NotificationID?
    /// The id that its push was sent under: devices know it by that.
    package var sentID: NotificationID? { givenID ?? id }
    /// What its device speaks of.
    package var receiptSubject: ReceiptSubject? {
        guard let content = fingerprint.flatMap(Fingerprint.value) else { return id.map { ReceiptSubject($0) } }
        return sentID.map { ReceiptSubject($0, content: content) }
    }
    /// 16 hexadecimal digits where the producer gave the id.
    package let fingerprint: String?
    /// The token, or its digest where the operator asked for digests; of an invalid notification whatever text it gave.
    package let deviceToken: String?
    /// A word of ``WaybillCore/Outcome``, or one of a newer release.
    package let outcome: String
    package let statusCode: Int?
    package let reason: String?
    package let message: String?
    /// Milliseconds since 1970.
    package let date: Int64
    /// Milliseconds since 1970; `nil` for a record that is kept.
    package let expiresAt: Int64?
    package let batchID: String?
    /// The position in the producer's message, from 0; of an invalid notification only.
    package let position: Int?
    package let client: String?
    /// The service of the front door that said it.
    package let serviceID: String?
    package let lane: String?
    /// The push service's name; `nil` for APNs.
    package let provider: String?
    /// What the push service calls what it took.
    package let providerID: String?
    package let topic: String?
    /// The provider's word, such as `alert`.
    package let pushType: String?
    /// `payload` where the type was derived from the payload; `nil` where the message names it.
    package let pushTypeFrom: String?
    package let priority: Int?
    /// Seconds since 1970; 0 is one attempt, `nil` where the header was left out, or in a record of an invalid item.
    package let expiration: Int64?
    /// Who set it; `nil` in a record of 0.2.0.
    package let expirationFrom: ExpirationOrigin?
    /// Seconds since the message's own time; `nil` for no limit.
    package let maxAge: Int?
    /// The text; of 64 hexadecimal digits where Waybill made it.
    package let collapseID: String?
    package let attempts: Int
    package let latencyMilliseconds: Double?
    /// From the message's own time to the dispatcher, in milliseconds.
    package let queuedMilliseconds: Int64?
    /// Which repeat of an unacknowledged notification it is; `nil` for what a producer has published.
    package let family: Family?
    /// Milliseconds since 1970.
    package let invalidSince: Int64?
    package let isRepeat: Bool
    package let history: [AttemptRecord]
    /// What a newer release calls otherwise is left out.
    package let waited: [LaneWait]
    /// The pass that it waits for; `nil` for a final record, and for a deferred one of 0.2.0.
    package let next: PlannedPass?

    /// Reads a document of the log; whatever is missing or of another type is absent.
    package init(document: BSONDocument) {
        self.document = document
        var values: [String: BSONValue] = [:]
        for (key, value) in document.fields { values[key] = value }
        func value(_ field: StaticString) -> BSONValue? { values["\(field)"] }
        func uuid(_ field: StaticString) -> NotificationID? {
            if case .uuid(let high, let low) = value(field) { NotificationID(high: high, low: low) } else { nil }
        }
        id = uuid(Field.id)
        givenID = uuid(Field.givenID)
        fingerprint = value(Field.fingerprint)?.string
        deviceToken = value(Field.deviceToken)?.string
        outcome = value(Field.outcome)?.string ?? ""
        statusCode = value(Field.statusCode)?.int.map { Int($0) }
        reason = value(Field.reason)?.string
        message = value(Field.message)?.string
        date = value(Field.date)?.date ?? 0
        expiresAt = value(Field.expiresAt)?.date
        batchID = value(Field.batchID)?.string
        position = value(Field.position)?.int.map { Int($0) }
        client = value(Field.client)?.string
        serviceID = value(Field.serviceID)?.string
        lane = value(Field.lane)?.string
        provider = value(Field.provider)?.string
        providerID = value(Field.providerID)?.string
        topic = value(Field.topic)?.string
        pushType = value(Field.pushType)?.string
        pushTypeFrom = value(Field.pushTypeFrom)?.string
        priority = value(Field.priority)?.int.map { Int($0) }
        expiration = value(Field.expiration)?.int.map { Int64($0) }
        expirationFrom = value(Field.expirationFrom)?.string.flatMap(ExpirationOrigin.init)
        maxAge = value(Field.maxAge)?.int.map { Int($0) }
        collapseID = value(Field.collapseID)?.string
        attempts = value(Field.attempts)?.amount ?? 0
        latencyMilliseconds = value(Field.latency)?.double
        queuedMilliseconds = value(Field.queued)?.int
        family = value(Field.family)?.document.flatMap(Family.init)
        invalidSince = value(Field.invalidSince)?.date
        isRepeat = value(Field.isRepeat)?.bool ?? false
        history = (value(Field.history)?.elements ?? []).compactMap(\.document).map(AttemptRecord.init)
        waited = (value(Field.waited)?.elements ?? []).compactMap(\.document).compactMap(LaneWait.init)
        let pass = value(Field.pass)?.int.flatMap { Int(exactly: $0) }
        let due = value(Field.due)?.date
        next = pass.flatMap { pass in
            due.flatMap { pass >= 1 && (0..<(1 << 48)).contains($0) ? PlannedPass(number: pass, due: $0) : nil }
        }
    }
}

extension LoggedDelivery {
    /// A repeat's place among those of its notification.
    package struct Family: Hashable, Sendable {
        /// The first one's id.
        package let first: NotificationID
        /// 1 for the first repeat.
        package let number: Int
        /// How many repeats there may be.
        package let limit: Int

        /// Reads a record's field; `nil` for what is not whole.
        init?(_ document: BSONDocument) {
            guard case .uuid(let high, let low) = document["\(Field.first)"],
                let number = document["\(Field.number)"]?.int.flatMap({ Int(exactly: $0) }),
                let limit = document["\(Field.of)"]?.int.flatMap({ Int(exactly: $0) })
            else { return nil }
            first = NotificationID(high: high, low: low)
            self.number = number
            self.limit = limit
        }
    }

    /// Bytes of the record as the store sends it.
    package var byteCount: Int { document.bytes.count }

    /// When its first push was sent, in milliseconds since 1970; `nil` where none was.
    package var firstPush: Int64? { RecordedDelivery(self).firstPush }

    /// The message's own time in milliseconds since 1970, which a derived id has in front; `nil` where the id was given by a
    /// producer, or its message had no time.
    package var messageTime: Int64? {
        // A record may come from anybody's hands, with any date.
        fingerprint == nil ? id?.messageTime(by: date) : nil
    }
}

extension AttemptRecord {
    init(_ document: BSONDocument) {
        self.init(
            date: document["\(Field.date)"]?.date ?? 0,
            status: document["\(Field.statusCode)"]?.int.map { Int($0) },
            reason: document["\(Field.reason)"]?.string,
            latency: document["\(Field.latency)"]?.double,
            detail: document["\(Field.detail)"]?.string
        )
    }
}
