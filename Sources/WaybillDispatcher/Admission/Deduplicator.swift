import WaybillCore

/// Keeps a delivery waiting while another one in this process holds one of its notifications.
///
/// After a lost connection the broker hands out again what is still in flight here. A retry whose confirm was lost is in the
/// broker twice, and the retries of one message may overlap. Two copies that look into the log at the same time would both
/// find nothing, and push twice; the one that waits until the first has settled finds its record.
///
/// A notification is settled when its own part is: its record is durable, or its retry is confirmed. So a quick retry does not
/// wait for the rest of a large message.
struct Deduplicator {
    private struct Holder {
        let finalizer: Finalizer
        let part: MessagePart
        /// A bit for each place in the delivery that is settled; empty while none is.
        var settled: [UInt64] = []

        func isOpen(_ index: Int) -> Bool {
            guard let place = part.place(of: index) else { return false }
            return settled.isEmpty || settled[place >> 6] & 1 << (place & 63) == 0
        }

        mutating func settle(_ places: [Int]) {
            if settled.isEmpty { settled = Array(repeating: 0, count: (part.count + 63) >> 6) }
            for place in places { settled[place >> 6] |= 1 << (place & 63) }
        }

        func isInTheWay(of other: MessagePart) -> Bool {
            (0..<other.count).contains { isOpen(other.index(at: $0)) }
        }
    }

    /// Mostly a message has one holder.
    private var holders: [MessageIdentity: Holder] = [:]
    private var others: [MessageIdentity: [Holder]] = [:]
    private var waiting: [MessageIdentity: [InFlightMessage]] = [:]
    /// Messages that have waited, and may be looked at again.
    private var released: [InFlightMessage] = []
    /// Copies that are kept here, by lane.
    private var counts: [Int]

    init(laneCount: Int) {
        counts = Array(repeating: 0, count: laneCount)
    }

    /// Whether a message needs what another one holds.
    func mustWait(_ message: InFlightMessage) -> Bool {
        // One without a name gets an identity of its own before anything of it is sent.
        guard message.needsRecall, let part = message.finalizer.part, isBlocked(part) else { return false }
        return !RecallRule(message).isNameless
    }

    private func isBlocked(_ part: MessagePart) -> Bool {
        holders[part.identity]?.isInTheWay(of: part) == true
            || others[part.identity]?.contains { $0.isInTheWay(of: part) } == true
    }

    /// How many copies of a lane are kept here.
    func waitingCount(lane: Int) -> Int { counts[lane] }

    /// Keeps a message that must wait.
    mutating func wait(_ message: InFlightMessage) {
        guard let part = message.finalizer.part else { return }
        waiting[part.identity, default: []].append(message)
        counts[message.batch.lane] += 1
    }

    /// A message has started.
    mutating func enter(_ finalizer: Finalizer) {
        guard let part = finalizer.part else { return }
        let holder = Holder(finalizer: finalizer, part: part)
        guard let first = holders.updateValue(holder, forKey: part.identity) else { return }
        others[part.identity, default: []].append(first)
    }

    /// Some of a message is settled, by the places in its delivery.
    mutating func settled(_ places: [Int], of finalizer: Finalizer) {
        guard let identity = finalizer.part?.identity else { return }
        if holders[identity]?.finalizer === finalizer {
            holders[identity]?.settle(places)
        } else if let position = others[identity]?.firstIndex(where: { $0.finalizer === finalizer }) {
            others[identity]?[position].settle(places)
        }
        release(identity)
    }

    /// All of a message is settled.
    mutating func leave(_ finalizer: Finalizer) {
        guard let identity = finalizer.part?.identity else { return }
        if others.isEmpty || others[identity] == nil {
            if holders[identity]?.finalizer === finalizer { holders[identity] = nil }
        } else {
            var rest = others.removeValue(forKey: identity) ?? []
            if let holder = holders.removeValue(forKey: identity) { rest.append(holder) }
            rest.removeAll { $0.finalizer === finalizer }
            holders[identity] = rest.popLast()
            if !rest.isEmpty { others[identity] = rest }
        }
        release(identity)
    }

    private mutating func release(_ identity: MessageIdentity) {
        guard !waiting.isEmpty, let copies = waiting[identity] else { return }
        var kept: [InFlightMessage] = []
        for copy in copies {
            if let part = copy.finalizer.part, isBlocked(part) {
                kept.append(copy)
            } else {
                released.append(copy)
                counts[copy.batch.lane] -= 1
            }
        }
        waiting[identity] = kept.isEmpty ? nil : kept
    }

    /// Takes the first message that need not wait any longer.
    mutating func takeReleased() -> InFlightMessage? { released.isEmpty ? nil : released.removeFirst() }

    /// The connection that the waiting copies came over is gone; they come again.
    mutating func forgetWaiting() {
        waiting.removeAll()
        released.removeAll()
        for lane in counts.indices { counts[lane] = 0 }
    }
}
