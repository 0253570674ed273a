import WaybillAudience
import WaybillCore
import WaybillDeviceRegistry
import WaybillFleet
import WaybillMessages
import WaybillMongo
import WaybillThreads

/// The parts of a round: what begins, the next step of each audience, and what is noted of it.
extension Expansion {
    /// What is due begins with its first page, unless too much is under way, or ends where it was cancelled before it came.
    mutating func entry(_ arrival: NewAudience, now: Int64) throws(MongoError) -> AudienceEntry {
        let message = arrival.message
        guard message.at ?? 0 <= now, message.throttle == nil, hasRoom, !isCut else {
            return AudienceEntry(arrival, first: nil)
        }
        let record = AudienceRecord(message, createdAt: now, publishedAt: arrival.publishedAt)
        if let order = record.cancellation(by: orders) {
            return AudienceEntry(arrival, first: .end(.cancelled, reason: order.reason))
        }
        let plan = try planned { (expansion) throws(MongoError) in
            try expansion.page(message, at: record.time, after: nil, isFirst: true, DevicePageEffort(cuts: 0))
        }
        switch plan {
        case .change(let change): return AudienceEntry(arrival, first: change)
        case .cut:
            // It waits in the store then, and is tried again with the others.
            _ = putOff(record)
            return AudienceEntry(arrival, first: nil)
        }
    }

    /// What the queries of one audience have led to.
    private enum StepPlan {
        case change(AudienceStep.Change)
        /// A query has met its time limit.
        case cut
    }

    /// Runs the queries of one audience: a refusal of the server ends that audience, and no other one waits for it.
    private mutating func planned(
        by step: (inout Expansion) throws(MongoError) -> AudienceStep.Change
    ) throws(MongoError) -> StepPlan {
        // A query may take nearly as long as a lease.
        try renew()
        do throws(MongoError) {
            return .change(try step(&self))
        } catch {
            if error.code == .timeLimitExceeded { return .cut }
            guard error.isAboutTheQuery else { throw error }
            return .change(.end(.failed, reason: error.refusal))
        }
    }

    mutating func begin(_ entry: AudienceEntry, now: Int64, leased: Int64) {
        control.update { $0.entered += 1 }
        let record = AudienceRecord(
            entry.message.message,
            createdAt: now,
            publishedAt: entry.message.publishedAt
        )
        if case .end(let state, let reason)? = entry.first {
            return noteEnd(record, state, reason)
        }
        guard case .page(let page, _, let leftOut, let after)? = entry.first else { return }
        control.update { $0.leftOut += leftOut }
        let message = entry.message.message
        if message.selection.isOpen { events.append(.begun(audience: message.id, client: message.client)) }
        audiences.append(
            Audience(
                record: record,
                message: message,
                pages: 1,
                after: after,
                page: page,
                leaseEnds: leased + AudienceStore.lease,
                leftOut: leftOut
            )
        )
        // The broker has nothing to confirm of an empty page.
        if page.messages.isEmpty { audiences[audiences.count - 1].isConfirmed = true }
    }

    private mutating func page(
        _ message: AudienceMessage,
        at time: AudienceTime,
        after: BSONIdentifier?,
        isFirst: Bool,
        _ effort: DevicePageEffort
    ) throws(MongoError) -> AudienceStep.Change {
        var limit = min(FanoutSettings.pageSize, message.throttle?.share ?? FanoutSettings.pageSize)
        while true {
            let read = try reader.page(
                message.selection,
                of: message.client,
                after: after,
                limit: limit,
                effort: effort
            )
            let (page, leftOut) = maker.page(
                read.devices,
                of: message,
                isUrgent: isFirst && read.isLast && !message.selection.isOpen,
                isLast: read.isLast,
                time: time.page(ordersRead: ordersAt)
            )
            // The record holds the page, and the store refuses a larger document: each lane has the content once.
            if limit > 1, page.byteCount > FanoutSettings.mostPageBytes {
                limit = max(1, limit / 8)
                continue
            }
            refuse(read.devices, of: message)
            return .page(page, expanded: read.devices.count, leftOut: leftOut, after: read.after)
        }
    }

    /// Names the devices of a page whose documents say nothing for certain.
    private mutating func refuse(_ devices: [DevicePosition], of message: AudienceMessage) {
        let refused = devices.compactMap(\.flaw)
        guard !refused.isEmpty else { return }
        control.update { $0.unreadableDevices += refused.count }
        events.append(
            .devicesRefused(
                audience: message.id,
                client: message.client,
                count: refused.count,
                examples: refused.prefix(Self.mostExamples).map { "\($0)" }
            )
        )
    }

    /// To be named, of one page.
    private static let mostExamples = 10

    /// The next step of each audience whose page the broker has.
    mutating func steps(
        isFull: Bool,
        now: Int64
    ) throws(MongoError) -> (steps: [AudienceStep], next: [Int]) {
        var steps: [AudienceStep] = []
        var next: [Int] = []
        // What may take long comes last.
        let fast = audiences.indices.filter { cuts[audiences[$0].key] == nil }
        let slow = audiences.indices.filter { cuts[audiences[$0].key] != nil }
        for index in fast + slow where audiences[index].page == nil || audiences[index].isConfirmed {
            let audience = audiences[index]
            let change: AudienceStep.Change
            if let order = audience.record.cancellation(by: orders) {
                change = .end(.cancelled, reason: order.reason)
            } else if audience.page?.isLast == true {
                change = .end(.done, reason: nil)
            } else if audience.isHeld {
                change = .rest
            } else if isFull, audience.isBulk {
                continue
            } else if let page = try nextPage(index, now: now) {
                change = page
            } else {
                continue
            }
            steps.append(
                AudienceStep(
                    key: audience.key,
                    pages: audience.pages,
                    handedOver: audience.page?.count ?? 0,
                    change: change
                )
            )
            next.append(index)
        }
        return (steps, next)
    }

    /// The next page of an audience, or its end where the server refuses its query.
    ///
    /// - Returns: `nil`: not now.
    private mutating func nextPage(_ index: Int, now: Int64) throws(MongoError) -> AudienceStep.Change? {
        let audience = audiences[index]
        // A clock that was put back by more is asked anew.
        if isCut || now < audience.notBefore && audience.notBefore - now < Self.longestWait { return nil }
        let cuts = cuts[audience.key]?.count ?? 0
        if cuts > 0 {
            // Those whose queries take long have half of the time together, and one of them a turn in each round.
            guard clock >= slowUntil || slowUntil - clock > Self.longestWait else { return nil }
            isCut = true
        }
        let begun = MonotonicTime.now()
        defer {
            if isCut { slowUntil = clock + Int64(MonotonicTime.now().duration(since: begun) / .milliseconds(1)) }
        }
        var notBefore: Int64?
        let plan = try planned { (expansion) throws(MongoError) in
            notBefore = try expansion.throttled(audience, now: now)
            guard notBefore == nil else { return .rest }
            return try expansion.page(
                audience.message,
                at: audience.record.time,
                after: audience.after,
                isFirst: audience.pages == 0,
                DevicePageEffort(cuts: cuts)
            )
        }
        switch plan {
        case .change(let change):
            if let notBefore {
                audiences[index].notBefore = notBefore
                return nil
            }
            return change
        case .cut:
            audiences[index].notBefore = putOff(audience.record)
            return nil
        }
    }

    /// Asks for an audience whose query has met the time limit with fewer devices a page, and later where these are few already.
    ///
    /// - Returns: when, in milliseconds since 1970.
    private mutating func putOff(_ record: AudienceRecord) -> Int64 {
        isCut = true
        let now = clock
        // Those that another process has gone on with are forgotten.
        cuts = cuts.filter { now - $0.value.until < Self.longestWait }
        let count = (cuts[record.key]?.count ?? 0) + 1
        let excess = count - DevicePageEffort.mostCuts
        let pause = excess < 1 ? 0 : min(Self.longestPause, Self.shortestPause << Int64(min(excess - 1, 10)))
        cuts[record.key] = Cut(count: count, until: now + pause)
        events.append(.pageCut(audience: record.id, count: count, retryIn: .milliseconds(pause)))
        return now + pause
    }

    private static let longestWait: Int64 = 600_000
    /// How long an audience waits whose smallest page has met the time limit, in milliseconds.
    private static let shortestPause: Int64 = 30_000
    private static let longestPause: Int64 = 300_000

    /// Ends audiences whose next step the server refuses.
    mutating func endRefused(
        _ steps: [AudienceStep],
        _ next: [Int],
        _ written: AudienceStore.Written
    ) throws(MongoError) {
        guard written.stepsAreMade else { return }
        for (place, refusal) in written.refusedSteps {
            var record = audiences[next[place]].recordByNow
            record.pages = steps[place].pages
            try fail(record, handedOver: steps[place].handedOver, reason: refusal.refusal)
        }
    }

    /// Ends an audience as failed; one that the server lets nobody end is left alone.
    ///
    /// - Parameters:
    ///   - record: as it stands.
    ///   - handedOver: notifications of its last page that the broker has, and that are not counted yet.
    ///   - reason: why.
    /// - Throws: what the store says.
    mutating func fail(_ record: AudienceRecord, handedOver: Int, reason: String) throws(MongoError) {
        let change = AudienceStep.Change.end(.failed, reason: reason)
        let step = AudienceStep(key: record.key, pages: record.pages, handedOver: handedOver, change: change)
        let written = try store.write([], [step], now: clock)
        if let refusal = written.refusedSteps[0] {
            store.leaveAlone(record.key)
            return events.append(.skipped(audience: record.id, reason: refusal.refusal))
        }
        guard written.stepsAreMade else { return }
        control.update { $0.handedOver += handedOver }
        var ended = record
        ended.handedOver += handedOver
        noteEnd(ended, .failed, reason)
    }

    /// Asks the throttle for the next page, and counts it there.
    ///
    /// - Returns: until when nothing may be handed over; `nil`: it may be now.
    private func throttled(_ audience: Audience, now: Int64) throws(MongoError) -> Int64? {
        guard let throttle = audience.message.throttle else { return nil }
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

    mutating func take(
        _ steps: [AudienceStep],
        _ next: [Int],
        _ written: AudienceStore.Written,
        leased: Int64
    ) {
        guard written.stepsAreMade else {
            // What was written of them is in their records, for whoever claims them.
            let lost = Set(steps.map(\.key))
            audiences.removeAll { lost.contains($0.key) }
            events.append(.lost(count: lost.count))
            return
        }
        var gone: Set<String> = []
        for (place, (step, index)) in zip(steps, next).enumerated() {
            guard written.refusedSteps[place] == nil else {
                gone.insert(step.key)
                continue
            }
            control.update { $0.handedOver += step.handedOver }
            switch step.change {
            case .page(let page, _, let leftOut, let after):
                audiences[index].handedOver += step.handedOver
                audiences[index].leftOut += leftOut
                audiences[index].pages += 1
                audiences[index].page = page
                audiences[index].after = after
                audiences[index].isConfirmed = page.messages.isEmpty
                audiences[index].isCopy = false
                audiences[index].leaseEnds = leased + AudienceStore.lease
                control.update { $0.leftOut += leftOut }
            case .rest:
                gone.insert(step.key)
                events.append(.held(audience: audiences[index].id))
            case .end(let state, let reason):
                gone.insert(step.key)
                audiences[index].handedOver += step.handedOver
                noteEnd(audiences[index].recordByNow, state, reason)
            }
        }
        audiences.removeAll { gone.contains($0.key) }
    }

    mutating func noteEnd(_ record: AudienceRecord, _ state: AudienceRecord.State, _ reason: String?) {
        control.update { counts in
            switch state {
            case .cancelled: counts.cancelled += 1
            case .failed: counts.failed += 1
            case .waiting, .expanding, .done: counts.done += 1
            }
        }
        // One user's devices are no news.
        guard record.message?.selection.isOpen == true || state != .done else { return }
        events.append(
            .ended(
                audience: record.id,
                state: state,
                handedOver: record.handedOver,
                leftOut: record.leftOut,
                reason: reason
            )
        )
    }

    /// Holds on to what is expanded: no lease ends during a query.
    mutating func renew() throws(MongoError) {
        let now = clock
        let due = audiences.indices.filter { audiences[$0].leaseEnds - now < Self.leastLease }
        guard !due.isEmpty else { return }
        try store.renew(due.map { audiences[$0].key }, now: now)
        for index in due { audiences[index].leaseEnds = now + AudienceStore.lease }
    }

    /// A page has two queries, and each ends after two seconds.
    private static let leastLease = AudienceStore.lease - 1000
}

extension AudienceSelection {
    /// Whether it means whatever matches, rather than devices of those that it names.
    var isOpen: Bool {
        switch kind {
        case .filter: true
        case .users, .devices: false
        }
    }
}
