import WaybillAudience
import WaybillCore
import WaybillDeviceRegistry
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
    private struct Audience {
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
        var withoutLane = 0

        /// It is to rest once its page is with the broker.
        var isHeld = false
        /// Nothing of it before that, in milliseconds since 1970: its rate is used up.
        var notBefore: Int64 = 0

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

    /// What became of messages that have come.
    enum Arrival {
        case entered
        case repeated
        case conflicting
    }

    private let maker: PageMaker
    private let store: AudienceStore
    private let reader: AudienceReader
    private let orderReader: OrderReader
    private let control: FanoutControl
    private var audiences: [Audience] = []
    private var orders = StandingOrders()
    /// When they were read, in milliseconds since 1970.
    private var ordersAt: Int64 = 0
    private var claimedAt: Int64 = 0
    private var heldAt: Int64 = 0
    private var events: [FanoutEvent] = []

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
        do throws(MongoError) {
            try readOrders(now: now)
            try claim(now: now)
            try readHeld(now: now)
            let entries = try arrivals.map { (arrival) throws(MongoError) in try entry(arrival, now: now) }
            let (steps, next) = try steps(isFull: isFull, now: now)
            let written = try store.write(entries, steps, now: now)
            take(steps, next, written, now: now)
            var results: [Arrival] = []
            for (entry, isNew) in zip(entries, written.isNew) {
                if isNew {
                    results.append(.entered)
                    begin(entry, now: now)
                } else {
                    results.append(try store.isRepeat(entry.message) ? .repeated : .conflicting)
                }
            }
            try renew(now: now)
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
        let ids = audiences.map(\.id)
        audiences = []
        // Whoever cannot be told waits for the end of the leases.
        try? store.release(ids)
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
        while audiences.count < FanoutSettings.most, let record = try store.claim(now: now) {
            audiences.removeAll { $0.id == record.id }
            guard let message = record.message else {
                try fail(record, now: now)
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
                    leaseEnds: now + AudienceStore.lease,
                    isHeld: record.isHeld
                )
            )
        }
    }

    private mutating func readHeld(now: Int64) throws(MongoError) {
        guard now - heldAt >= Self.interval || now < heldAt else { return }
        heldAt = now
        let held = try store.held(among: audiences.map(\.id))
        for index in audiences.indices { audiences[index].isHeld = held.contains(audiences[index].id) }
    }

    private mutating func fail(_ record: AudienceRecord, now: Int64) throws(MongoError) {
        let reason = "this release cannot read its message"
        let step = AudienceStep(
            id: record.id,
            pages: record.pages,
            handedOver: 0,
            change: .end(.failed, reason: reason)
        )
        _ = try store.write([], [step], now: now)
        control.update { $0.failed += 1 }
        events.append(
            .ended(
                audience: record.id,
                state: .failed,
                handedOver: record.handedOver,
                withoutLane: record.withoutLane,
                reason: reason
            )
        )
    }

    /// What is due begins with its first page, unless too much is under way.
    private func entry(_ arrival: NewAudience, now: Int64) throws(MongoError) -> AudienceEntry {
        let message = arrival.message
        guard message.at ?? 0 <= now, message.throttle == nil, audiences.count < FanoutSettings.most else {
            return AudienceEntry(arrival, first: nil)
        }
        return AudienceEntry(arrival, first: try page(message, after: nil, isFirst: true))
    }

    private mutating func begin(_ entry: AudienceEntry, now: Int64) {
        control.update { $0.entered += 1 }
        guard case .page(let page, _, let withoutLane, let after)? = entry.first else { return }
        control.update { $0.withoutLane += withoutLane }
        let message = entry.message.message
        if message.selection.isOpen { events.append(.begun(audience: message.id, client: message.client)) }
        audiences.append(
            Audience(
                record: AudienceRecord(message, createdAt: now),
                message: message,
                pages: 1,
                after: after,
                page: page,
                leaseEnds: now + AudienceStore.lease,
                withoutLane: withoutLane
            )
        )
        // The broker has nothing to confirm of an empty page.
        if page.messages.isEmpty { audiences[audiences.count - 1].isConfirmed = true }
    }

    private func page(
        _ message: AudienceMessage,
        after: BSONIdentifier?,
        isFirst: Bool
    ) throws(MongoError) -> AudienceStep.Change {
        let limit = min(FanoutSettings.pageSize, message.throttle?.share ?? FanoutSettings.pageSize)
        let devices = try reader.page(
            message.selection,
            of: message.client,
            after: after,
            limit: limit
        )
        let isLast = devices.count < limit
        let (page, withoutLane) = maker.page(
            devices,
            of: message,
            isUrgent: isFirst && isLast && !message.selection.isOpen,
            isLast: isLast,
            // Whoever cancels from now on means them: no order was there when these were read.
            time: ordersAt / 1000
        )
        return .page(page, expanded: devices.count, withoutLane: withoutLane, after: devices.last?.id ?? after)
    }

    /// The next step of each audience whose page the broker has.
    private mutating func steps(
        isFull: Bool,
        now: Int64
    ) throws(MongoError) -> (steps: [AudienceStep], next: [Int]) {
        var steps: [AudienceStep] = []
        var next: [Int] = []
        for (index, audience) in audiences.enumerated() where audience.page == nil || audience.isConfirmed {
            let change: AudienceStep.Change
            if let order = cancellation(of: audience) {
                change = .end(.cancelled, reason: "cancelled by \(order.source.name)")
            } else if audience.page?.isLast == true {
                change = .end(.done, reason: nil)
            } else if audience.isHeld {
                change = .rest
            } else if isFull, audience.isBulk {
                continue
            } else if let notBefore = try throttled(audience, now: now) {
                audiences[index].notBefore = notBefore
                continue
            } else {
                change = try page(audience.message, after: audience.after, isFirst: audience.pages == 0)
            }
            steps.append(
                AudienceStep(
                    id: audience.id,
                    pages: audience.pages,
                    handedOver: audience.page?.count ?? 0,
                    change: change
                )
            )
            next.append(index)
        }
        return (steps, next)
    }

    /// Asks the throttle for the next page, and counts it there.
    ///
    /// - Returns: until when nothing may be handed over; `nil`: it may be now.
    private func throttled(_ audience: Audience, now: Int64) throws(MongoError) -> Int64? {
        guard let throttle = audience.message.throttle else { return nil }
        // A clock that was put back by more is asked anew.
        if now < audience.notBefore, audience.notBefore - now < 120_000 { return audience.notBefore }
        let leave = try store.leave(
            throttle,
            audience: audience.id,
            client: audience.record.client,
            count: min(throttle.share, FanoutSettings.pageSize),
            now: now
        )
        if case .notBefore(let time) = leave { return time }
        return nil
    }

    private mutating func take(
        _ steps: [AudienceStep],
        _ next: [Int],
        _ written: AudienceStore.Written,
        now: Int64
    ) {
        guard written.stepsAreMade else {
            // What was written of them is in their records, for whoever claims them.
            let lost = Set(steps.map(\.id))
            audiences.removeAll { lost.contains($0.id) }
            events.append(.lost(count: lost.count))
            return
        }
        var gone: Set<String> = []
        for (step, index) in zip(steps, next) {
            control.update { $0.handedOver += step.handedOver }
            switch step.change {
            case .page(let page, _, let withoutLane, let after):
                audiences[index].handedOver += step.handedOver
                audiences[index].withoutLane += withoutLane
                audiences[index].pages += 1
                audiences[index].page = page
                audiences[index].after = after
                audiences[index].isConfirmed = page.messages.isEmpty
                audiences[index].isCopy = false
                audiences[index].leaseEnds = now + AudienceStore.lease
                control.update { $0.withoutLane += withoutLane }
            case .rest:
                gone.insert(step.id)
                events.append(.held(audience: step.id))
            case .end(let state, let reason):
                gone.insert(step.id)
                audiences[index].handedOver += step.handedOver
                noteEnd(audiences[index], state, reason)
            }
        }
        audiences.removeAll { gone.contains($0.id) }
    }

    private mutating func noteEnd(_ audience: Audience, _ state: AudienceRecord.State, _ reason: String?) {
        control.update { counts in
            if state == .cancelled { counts.cancelled += 1 } else { counts.done += 1 }
        }
        // One user's devices are no news.
        guard audience.message.selection.isOpen || state != .done else { return }
        events.append(
            .ended(
                audience: audience.id,
                state: state,
                handedOver: audience.record.handedOver + audience.handedOver,
                withoutLane: audience.record.withoutLane + audience.withoutLane,
                reason: reason
            )
        )
    }

    private func cancellation(of audience: Audience) -> Cancellation? {
        for name in [audience.id, audience.record.cancelKey].compactMap(\.self) {
            let record = audience.record
            if let order = orders.cancellation(batch: name, client: record.client, time: record.createdAt) {
                return order
            }
        }
        return nil
    }

    /// What has to wait is held on to.
    private mutating func renew(now: Int64) throws(MongoError) {
        let due = audiences.indices.filter { audiences[$0].leaseEnds - now < AudienceStore.lease / 2 }
        guard !due.isEmpty else { return }
        try store.renew(due.map { audiences[$0].id }, now: now)
        for index in due { audiences[index].leaseEnds = now + AudienceStore.lease }
    }
}

extension AudienceSelection {
    /// Whether it means whatever matches, rather than devices of those that it names.
    fileprivate var isOpen: Bool {
        switch kind {
        case .filter: true
        case .users, .devices: false
        }
    }
}
