import WaybillCore
import WaybillThreads

/// How often receipts are taken: from an address, and of one thing that is said of one notification.
///
/// A whole network of phones may stand behind one address, and all of them answer the same push at the same moment: what is proven
/// is taken in great number. What is not has an allowance of its own, so that whoever guesses keeps no phone out.
final class ReceiptAllowances: Sendable {
    /// Of one address, or the block that a client has: at once, and a second.
    static let proven = (burst: 10_000, perSecond: 1_000.0)
    static let unproven = (burst: 100, perSecond: 10.0)
    /// Of one event of one notification in a minute: what is said again keeps out nothing else that is said of it.
    static let ofOneEvent: UInt8 = 20
    private static let minute = Duration.seconds(60)

    private struct State {
        var proven = TokenBuckets(burst: ReceiptAllowances.proven.burst, perSecond: ReceiptAllowances.proven.perSecond)
        var unproven = TokenBuckets(
            burst: ReceiptAllowances.unproven.burst,
            perSecond: ReceiptAllowances.unproven.perSecond
        )
        /// Since when ``counts`` counts.
        var began = MonotonicTime.now()
        /// By a part of a keyed hash of notification and event: some share a place, of whom no one can be chosen.
        var counts = [UInt8](repeating: 0, count: 1 << 18)
    }

    private let seed = UInt64.random(in: 0 ... .max)
    private let state = Guarded(State())

    /// Counts a request by what was found in it.
    ///
    /// - Parameters:
    ///   - neighbourhood: where it came from.
    ///   - isProven: whether any of its capabilities is good.
    ///   - now: the time.
    /// - Returns: how many seconds to wait; `nil` for one that is taken.
    func take(_ neighbourhood: String, isProven: Bool, now: MonotonicTime) -> Int? {
        let isGranted = state.withLock { state in
            isProven
                ? state.proven.take(neighbourhood, now: now).isGranted
                : state.unproven.take(neighbourhood, now: now).isGranted
        }
        return isGranted ? nil : 1
    }

    /// Counts a receipt that is proven.
    ///
    /// - Returns: whether it is one too many of its notification's event in this minute.
    func isOneTooMany(_ receipt: DeliveryReceipt, now: MonotonicTime) -> Bool {
        var hasher = Hasher()
        hasher.combine(seed)
        hasher.combine(receipt.subject)
        hasher.combine(receipt.event)
        let hash = hasher.finalize()
        return state.withLock { state in
            if now.duration(since: state.began) >= Self.minute {
                state.began = now
                state.counts = [UInt8](repeating: 0, count: state.counts.count)
            }
            let place = hash & (state.counts.count - 1)
            guard state.counts[place] < Self.ofOneEvent else { return true }
            state.counts[place] += 1
            return false
        }
    }

    /// Seconds until such a one is taken again.
    static let waitOfOneEvent = 60
}
