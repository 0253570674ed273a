import WaybillDeliveryLog
import WaybillThreads

/// One who looks at a tail: which records are theirs, and what waits to be sent to them.
final class TailViewer: Sendable {
    /// What a viewer is sent next.
    struct Delivery: Sendable {
        /// With the position behind each, in their order.
        var entries: [(entry: TailRing.Entry, behind: UInt64)] = []
        /// Records that matched and are not sent, since the last time.
        var leftOut = 0
    }

    private struct State: Sendable {
        var delivery = Delivery()
        var bytes = 0
        /// Records that may be sent at once.
        var allowance: Double
        var time: MonotonicTime
        /// When it was told last how many were left out.
        var told: MonotonicTime
    }

    let match: DeliveryMatch
    /// Something has come, or a second has passed; ends with the tail.
    let signals: AsyncStream<Void>
    private let signal: AsyncStream<Void>.Continuation
    private let limits: TailLimits
    private let state: Guarded<State>

    private static let tellingInterval = Duration.seconds(1)

    init(match: DeliveryMatch, limits: TailLimits, now: MonotonicTime) {
        self.match = match
        self.limits = limits
        (signals, signal) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        state = Guarded(State(allowance: limits.perSecond, time: now, told: now))
    }

    /// Wakes who waits for ``signals``.
    func wake() { signal.yield() }

    /// Ends ``signals``.
    func end() { signal.finish() }

    /// Takes of what has come what is theirs, as much as they may be sent.
    ///
    /// - Parameters:
    ///   - entries: what has come.
    ///   - first: the position of the first of them.
    ///   - now: the time.
    /// - Returns: `false` if too much waits already.
    func offer(_ entries: [TailRing.Entry], first: UInt64, now: MonotonicTime) -> Bool {
        state.withLock { state in
            state.allowance += now.duration(since: state.time) / .seconds(1) * limits.perSecond
            state.allowance = min(state.allowance, limits.perSecond)
            state.time = now
            for (offset, entry) in entries.enumerated() {
                if case .record(let record) = entry {
                    guard match.includes(record) else { continue }
                    guard state.allowance >= 1 else {
                        state.delivery.leftOut += 1
                        continue
                    }
                    state.allowance -= 1
                }
                state.delivery.entries.append((entry, first + UInt64(offset) + 1))
                state.bytes += entry.bytes
            }
            return state.delivery.entries.count <= limits.waiting && state.bytes <= limits.waitingBytes
        }
    }

    /// Takes what is theirs of what they have missed: the newest, and how many are left out.
    ///
    /// - Parameters:
    ///   - entries: what has come since they were here.
    ///   - end: the position behind the last of them.
    func replay(_ entries: ArraySlice<TailRing.Entry>, end: UInt64) {
        var delivery = Delivery()
        var bytes = 0
        var behind = end
        for entry in entries.reversed() {
            defer { behind -= 1 }
            if case .record(let record) = entry {
                guard match.includes(record) else { continue }
                bytes += entry.bytes
                guard delivery.leftOut == 0, delivery.entries.count < limits.replayed, bytes <= limits.replayedBytes
                else {
                    delivery.leftOut += 1
                    continue
                }
            }
            delivery.entries.append((entry, behind))
        }
        delivery.entries.reverse()
        let replayed = delivery
        state.withLock { state in
            state.delivery = replayed
            state.bytes = replayed.entries.reduce(0) { $0 + $1.entry.bytes }
            // That something is missing comes before what is there.
            if replayed.leftOut > 0 { state.told = state.told.advanced(by: .zero - Self.tellingInterval) }
        }
    }

    /// Notes that records may be missing before whatever comes.
    func miss(_ gap: TailGap, behind: UInt64) {
        state.withLock { $0.delivery.entries.append((.gap(gap), behind)) }
    }

    /// Hands out what waits; how many were left out once a second.
    func take(now: MonotonicTime) -> Delivery {
        state.withLock { state in
            var taken = state.delivery
            state.delivery = Delivery()
            state.bytes = 0
            if now.duration(since: state.told) < Self.tellingInterval {
                state.delivery.leftOut = taken.leftOut
                taken.leftOut = 0
            } else if taken.leftOut > 0 {
                state.told = now
            }
            return taken
        }
    }
}
