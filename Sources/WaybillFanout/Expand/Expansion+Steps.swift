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
        guard message.at ?? 0 <= now, message.throttle == nil, audiences.count < FanoutSettings.most else {
            return AudienceEntry(arrival, first: nil)
        }
        let record = AudienceRecord(message, createdAt: now, publishedAt: arrival.publishedAt)
        if let order = record.cancellation(by: orders) {
            return AudienceEntry(arrival, first: .end(.cancelled, reason: order.reason))
        }
        return AudienceEntry(arrival, first: try page(message, at: record.time, after: nil, isFirst: true))
    }

    mutating func begin(_ entry: AudienceEntry, now: Int64) {
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
                leaseEnds: now + AudienceStore.lease,
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
        isFirst: Bool
    ) throws(MongoError) -> AudienceStep.Change {
        let limit = min(FanoutSettings.pageSize, message.throttle?.share ?? FanoutSettings.pageSize)
        let read = try reader.page(
            message.selection,
            of: message.client,
            after: after,
            limit: limit
        )
        refuse(read.devices, of: message)
        let (page, leftOut) = maker.page(
            read.devices,
            of: message,
            isUrgent: isFirst && read.isLast && !message.selection.isOpen,
            isLast: read.isLast,
            time: time.page(ordersRead: ordersAt)
        )
        return .page(page, expanded: read.devices.count, leftOut: leftOut, after: read.after)
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
        for (index, audience) in audiences.enumerated() where audience.page == nil || audience.isConfirmed {
            let change: AudienceStep.Change
            if let order = audience.record.cancellation(by: orders) {
                change = .end(.cancelled, reason: order.reason)
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
                change = try page(
                    audience.message,
                    at: audience.record.time,
                    after: audience.after,
                    isFirst: audience.pages == 0
                )
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

    mutating func take(
        _ steps: [AudienceStep],
        _ next: [Int],
        _ written: AudienceStore.Written,
        now: Int64
    ) {
        guard written.stepsAreMade else {
            // What was written of them is in their records, for whoever claims them.
            let lost = Set(steps.map(\.key))
            audiences.removeAll { lost.contains($0.key) }
            events.append(.lost(count: lost.count))
            return
        }
        var gone: Set<String> = []
        for (step, index) in zip(steps, next) {
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
                audiences[index].leaseEnds = now + AudienceStore.lease
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
            if state == .cancelled { counts.cancelled += 1 } else { counts.done += 1 }
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

    /// What has to wait is held on to.
    mutating func renew(now: Int64) throws(MongoError) {
        let due = audiences.indices.filter { audiences[$0].leaseEnds - now < AudienceStore.lease / 2 }
        guard !due.isEmpty else { return }
        try store.renew(due.map { audiences[$0].key }, now: now)
        for index in due { audiences[index].leaseEnds = now + AudienceStore.lease }
    }
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
