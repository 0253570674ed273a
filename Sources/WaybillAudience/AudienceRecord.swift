import WaybillCore
package import WaybillMessages
package import WaybillMongo

/// An audience as its record has it.
package struct AudienceRecord: Sendable {
    package enum State: String, CaseIterable, Sendable {
        /// Not due yet, or nobody has begun.
        case waiting
        case expanding
        case done
        case cancelled
        case failed

        package var isEnded: Bool { self == .done || self == .cancelled || self == .failed }
    }

    /// Tells it from all others: what the store's methods take.
    package var key: String
    /// The name that its client has given it, and the `batch_id` of its notifications.
    package var id: String
    package var client: String
    package var state: State
    /// Milliseconds since 1970, as all times here.
    package var due: Int64
    package var cancelKey: String?
    /// Devices that were found.
    package var expanded: Int
    /// Notifications in messages that the broker has.
    package var handedOver: Int
    /// Devices for which no lane is configured.
    package var withoutLane: Int
    /// Devices of a provider for whose phones the content is not.
    package var withoutContent: Int
    package var pages: Int
    package var reason: String?
    /// Nothing more of it is handed over until somebody says otherwise.
    package var isHeld: Bool
    package var createdAt: Int64
    /// By which orders are held against it.
    package var time: AudienceTime
    /// When its message says that it was published; `nil` where it does not, and of a former release's.
    package var publishedAt: Int64?
    package var finishedAt: Int64?
    /// What is not known to be with the broker.
    package var page: AudiencePage?
    /// The times of its earliest and its latest page; `nil` where none was made, or a former release has made them.
    var pageTimes: ClosedRange<Int64>?
    /// The last device that was read.
    package var after: BSONIdentifier?
    /// What was asked for; `nil` after the end.
    package var message: AudienceMessage?
    package let digest: String

    /// - Returns: `nil` for a document that is not whole.
    init?(_ document: BSONDocument) {
        typealias Field = Audiences.Field
        guard let key = document["\(Field.id)"]?.string, let client = document["\(Field.client)"]?.string,
            let state = document["\(Field.state)"]?.string.flatMap(State.init),
            let due = document["\(Field.due)"]?.date,
            let digest = document["\(Field.digest)"]?.string,
            let createdAt = document["\(Field.createdAt)"]?.date
        else { return nil }
        func number(_ field: StaticString) -> Int { document["\(field)"]?.amount ?? 0 }
        self.key = key
        id = document["\(Field.name)"]?.string ?? key
        self.client = client
        self.state = state
        self.due = due
        self.digest = digest
        self.createdAt = createdAt
        publishedAt = document["\(Field.publishedAt)"]?.date
        let isUndated = document["\(Field.undated)"]?.bool ?? false
        time = AudienceTime(published: publishedAt ?? (isUndated ? nil : createdAt), entered: createdAt)
        cancelKey = document["\(Field.cancelKey)"]?.string
        expanded = number(Field.expanded)
        handedOver = number(Field.handedOver)
        withoutLane = number(Field.withoutLane)
        withoutContent = number(Field.withoutContent)
        pages = number(Field.pages)
        reason = document["\(Field.reason)"]?.string
        isHeld = document["\(Field.held)"]?.bool ?? false
        finishedAt = document["\(Field.finishedAt)"]?.date
        page = document["\(Field.page)"]?.document.flatMap(AudiencePage.init)
        if let first = document["\(Field.firstPage)"]?.date, let last = document["\(Field.lastPage)"]?.date,
            first <= last
        {
            pageTimes = first...last
        }
        after = document.identifier("\(Field.after)")
        message = document["\(Field.body)"]?.string.flatMap { body in
            try? AudienceMessage(decoding: Array(body.utf8), isStored: true)
        }
    }
}

extension AudienceRecord {
    /// The times that its messages have: other messages of its client, under its name, have others unless they were published meanwhile.
    ///
    /// Processes of a former release may make pages of it, too, whose times nobody notes: none is before its beginning, but for what a time of whole
    /// seconds and the last look at the orders make, and none behind its end.
    ///
    /// - Returns: milliseconds since 1970; `nil` where nothing is known of them.
    package var messageTimes: ClosedRange<Int64>? {
        pageTimes.map { times in
            min(times.lowerBound, createdAt - Self.before)...max(times.upperBound, finishedAt ?? Self.never)
        }
    }

    private static let before: Int64 = 1500
    /// What an id has room for.
    private static let never: Int64 = (1 << 48) - 1

    /// Devices that nothing is sent to.
    package var leftOut: AudienceLeftOut {
        AudienceLeftOut(withoutLane: withoutLane, withoutContent: withoutContent)
    }

    /// How far it is, in numbers.
    private var figures: AudienceFigures {
        AudienceFigures(
            state: state,
            digest: digest,
            expanded: expanded,
            handedOver: handedOver,
            underWay: state.isEnded ? 0 : page?.count ?? 0
        )
    }

    /// As ``AudienceFigures/knownHandedOver(recorded:)``.
    package func knownHandedOver(recorded: Int) -> Int { figures.knownHandedOver(recorded: recorded) }

    /// As ``AudienceFigures/unconfirmed(recorded:)``.
    package func unconfirmed(recorded: Int) -> Int { figures.unconfirmed(recorded: recorded) }

    /// Of an audience that has just been entered.
    package init(_ message: AudienceMessage, createdAt: Int64, publishedAt: Int64? = nil, digest: String = "") {
        key = AudienceKey.text(client: message.client, name: message.id)
        id = message.id
        client = message.client
        state = .expanding
        due = message.at ?? createdAt
        cancelKey = message.cancelKey
        expanded = 0
        handedOver = 0
        withoutLane = 0
        withoutContent = 0
        pages = 1
        isHeld = false
        self.createdAt = createdAt
        self.publishedAt = publishedAt
        time = AudienceTime(published: publishedAt, entered: createdAt)
        self.message = message
        self.digest = digest
    }
}
