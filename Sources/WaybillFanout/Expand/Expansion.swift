import WaybillAudience
import WaybillCore
import WaybillDeviceRegistry
import WaybillEncoding
import WaybillFleet
import WaybillMessages
import WaybillMongo
import WaybillThreads

/// What this process expands at the moment, and what comes next of it.
///
/// A round has two halves: ``plan(_:isFull:now:)`` reads devices and writes the pages, all in one bulk, and hands out what is
/// to be published; when the broker has that, ``handedOver()`` is told. What is between the two when a connection breaks may
/// be with the broker, and is published once more as a copy, with the same ids.
///
/// *Thread:* the worker's.
struct Expansion {
    struct Audience {
        let record: AudienceRecord
        let message: AudienceMessage
        var pages: Int
        var after: BSONIdentifier?
        /// What stands in the record as its page.
        var page: AudiencePage?
        var isConfirmed = false
        /// The broker may have the page.
        var isCopy = false
        var leaseEnds: Int64
        /// Since it was claimed, on top of what its record said then.
        var handedOver = 0
        var leftOut = AudienceLeftOut()

        /// It is to rest once its page is with the broker.
        var isHeld = false
        /// Nothing of it before that, in milliseconds since 1970: its rate is used up, or its query has met the time limit.
        var notBefore: Int64 = 0

        /// With what was handed over and left out since its beginning.
        var recordByNow: AudienceRecord {
            var sum = record
            sum.handedOver += handedOver
            sum.withoutLane += leftOut.withoutLane
            sum.withoutContent += leftOut.withoutContent
            return sum
        }

        /// Of its record.
        var key: String { record.key }
        /// The name that its client has given it.
        var id: String { record.id }
        /// Whether its next page may go to the bulk queue.
        var isBulk: Bool { pages > 0 || message.selection.isOpen }
    }

    /// A page to publish.
    struct Outgoing {
        let audience: String
        let page: AudiencePage
        /// The broker may have it already.
        let isCopy: Bool
    }

    /// An audience whose query has met the time limit.
    struct Cut {
        /// How often: its pages stay smaller.
        var count: Int
        /// When it is asked for again, in milliseconds since 1970.
        var until: Int64
    }

    /// What became of messages that have come.
    enum Arrival {
        case entered
        case repeated
        case conflicting
        /// The server refuses its record, for this reason.
        case refused(String)
    }

    let maker: PageMaker
    let store: AudienceStore
    let reader: AudienceReader
    private let orderReader: OrderReader
    let control: FanoutControl
    var audiences: [Audience] = []
    var orders = StandingOrders()
    /// When they were read, in milliseconds since 1970.
    var ordersAt: Int64 = 0
    /// By the keys of the records; what is claimed anew waits as well.
    var cuts: [String: Cut] = [:]
    /// Whether a query of this round has taken long: then no other one is made that may take as long.
    var isCut = false
    /// Until when no query is made of which it is known that it takes long, in milliseconds since 1970.
    var slowUntil: Int64 = 0
    /// When the round has begun, in milliseconds since 1970 and by the clock that nobody puts back.
    private var begun = (now: Int64(0), at: MonotonicTime.now())
    private var claimedAt: Int64 = 0
    private var heldAt: Int64 = 0
    var outlivedAt: Int64 = 0
    var events: [FanoutEvent] = []

    /// How often orders are read, and audiences looked for that are due or that nobody expands any more.
    private static let interval: Int64 = 500

    init(_ client: MongoClient, settings: FanoutSettings, control: FanoutControl) {
        let owner = "\(WallClock.milliseconds())-\(UInt64.random(in: .min ... .max))"
        maker = PageMaker(lanes: settings.lanes)
        store = AudienceStore(client: client, database: settings.database, owner: owner, keep: settings.keep)
        reader = AudienceReader(client: client, database: settings.database)
        orderReader = OrderReader(client: client, database: settings.database)
        self.control = control
    }

    /// Milliseconds since 1970, by what has passed since the round began.
    var clock: Int64 { begun.now + Int64(MonotonicTime.now().duration(since: begun.at) / .milliseconds(1)) }

    /// Whether another audience can be expanded; those whose queries take too long keep none from it, up to a bound.
    var hasRoom: Bool {
        audiences.count { cuts[$0.key] == nil } < FanoutSettings.most && audiences.count < 4 * FanoutSettings.most
    }

    /// Whether something can be done at once, if the bulk queue is not full.
    var isBusy: Bool { !audiences.isEmpty }

    /// Whether all that is under way waits for its rate, so that there is no hurry.
    func isThrottled(now: Int64) -> Bool {
        audiences.allSatisfy { $0.notBefore > now && ($0.page == nil || $0.isConfirmed) }
    }

    /// Whether anything of it goes to the bulk queue, so that its depth matters.
    var usesBulk: Bool { audiences.contains(where: \.isBulk) }

    // MARK: - A round

    /// Enters what has come, makes the next page of what is expanded, and writes all of it.
    ///
    /// - Parameters:
    ///   - arrivals: new messages.
    ///   - isFull: whether the bulk queue has enough.
    ///   - now: milliseconds since 1970.
    /// - Returns: what became of the arrivals, and what is to be published.
    /// - Throws: when it is not known what was written: everything is forgotten then, and claimed anew.
    mutating func plan(
        _ arrivals: [NewAudience],
        isFull: Bool,
        now: Int64
    ) throws(MongoError) -> (arrivals: [Arrival], outgoing: [Outgoing]) {
        begun = (now, .now())
        isCut = false
        do throws(MongoError) {
            try readOrders(now: now)
            try endWhatOutlivesItsOrder(now: now)
            try claim(now: now)
            try readHeld(now: now)
            let (steps, next) = try steps(isFull: isFull, now: now)
            var entries: [AudienceEntry] = []
            for arrival in arrivals { entries.append(try entry(arrival, now: now)) }
            let leased = clock
            let written = try store.write(entries, steps, enteredAt: now, now: leased)
            try endRefused(steps, next, written)
            take(steps, next, written, leased: leased)
            var results: [Arrival] = []
            for (place, (entry, isNew)) in zip(entries, written.isNew).enumerated() {
                if let refusal = written.refusedEntries[place] {
                    results.append(.refused(refusal.refusal))
                } else if isNew {
                    results.append(.entered)
                    begin(entry, now: now, leased: leased)
                } else {
                    results.append(try store.isRepeat(entry.message) ? .repeated : .conflicting)
                }
            }
            try renew()
            control.update { $0.expanding = audiences.count }
            return (results, outgoing)
        } catch {
            forget()
            throw error
        }
    }

    /// The broker has everything that the last round handed out.
    mutating func handedOver() {
        for index in audiences.indices where audiences[index].page != nil { audiences[index].isConfirmed = true }
    }

    /// Nobody knows whether the broker has what the last round handed out.
    mutating func doubt() {
        for index in audiences.indices where !audiences[index].isConfirmed { audiences[index].isCopy = true }
    }

    /// Lets go of everything, for another process to go on at once.
    mutating func release() {
        let keys = audiences.map(\.key)
        audiences = []
        // Whoever cannot be told waits for the end of the leases.
        try? store.release(keys)
    }

    /// What is to be said of the last round.
    mutating func takeEvents() -> [FanoutEvent] {
        defer { events = [] }
        return events
    }

    private mutating func forget() {
        audiences = []
        control.update { $0.expanding = 0 }
    }

    private var outgoing: [Outgoing] {
        audiences.compactMap { audience in
            guard let page = audience.page, !audience.isConfirmed, !page.messages.isEmpty else { return nil }
            return Outgoing(audience: audience.id, page: page, isCopy: audience.isCopy)
        }
    }

    // MARK: - Parts of it

    private mutating func readOrders(now: Int64) throws(MongoError) {
        guard now - ordersAt >= Self.interval || now < ordersAt else { return }
        orders = try orderReader.orders()
        ordersAt = now
    }

    private mutating func claim(now: Int64) throws(MongoError) {
        guard now - claimedAt >= Self.interval || now < claimedAt else { return }
        claimedAt = now
        while hasRoom {
            let leased = clock
            var refused: [RefusedAudience] = []
            let record = try store.claim(now: leased) { refused.append($0) }
            for one in refused { note(one) }
            guard let record else { return }
            if let index = audiences.firstIndex(where: { $0.key == record.key }) {
                let known = audiences[index]
                // Its lease has lapsed, and nobody else has gone on with it.
                if known.pages == record.pages, (known.page == nil) == (record.page == nil) {
                    audiences[index].leaseEnds = leased + AudienceStore.lease
                    continue
                }
                audiences.remove(at: index)
            }
            guard let message = record.message else {
                try fail(record, handedOver: 0, reason: "this release cannot read its message")
                continue
            }
            if message.selection.isOpen { events.append(.begun(audience: record.id, client: record.client)) }
            audiences.append(
                Audience(
                    record: record,
                    message: message,
                    pages: record.pages,
                    after: record.after,
                    page: record.page,
                    isCopy: true,
                    leaseEnds: leased + AudienceStore.lease,
                    isHeld: record.isHeld,
                    notBefore: cuts[record.key]?.until ?? 0
                )
            )
        }
    }

    /// Tells of an audience that the server lets nobody claim.
    mutating func note(_ refused: RefusedAudience) {
        guard let record = refused.ended else {
            return events.append(.skipped(audience: refused.key, reason: refused.reason))
        }
        noteEnd(record, .failed, record.reason)
    }

    private mutating func readHeld(now: Int64) throws(MongoError) {
        guard now - heldAt >= Self.interval || now < heldAt else { return }
        heldAt = now
        let held = try store.held(among: audiences.map(\.key))
        for index in audiences.indices { audiences[index].isHeld = held.containsExactly(audiences[index].key) }
    }
}
