import WaybillThreads

/// When which part of a round is due.
///
/// Who blows a fuse, or leaves something undone, hurries the next round.
final class RoundClock {
    /// How often it is looked for what others have done, and for what is left to do.
    static let interval = Duration.seconds(2)
    /// How often it is looked for what others, or this process before its end, have carried out and not looked at since.
    static let recollection = Duration.seconds(60)
    /// How often it is looked for all of that which can be taken back still, and not only for what is of late.
    static let wholeRecollection = Duration.seconds(300)
    /// How often it is counted what is held.
    static let counting = Duration.seconds(10)

    private var nextRound: MonotonicTime
    private var nextRecollection: MonotonicTime
    private var nextWholeRecollection: MonotonicTime
    private var nextCount: MonotonicTime

    /// All of it is due at once.
    init(now: MonotonicTime = .now()) {
        nextRound = now
        nextRecollection = now
        nextWholeRecollection = now
        nextCount = now
    }

    /// Begins a round if one is due.
    ///
    /// - Returns: whether one is; the next one is due a while later.
    func beginRound(now: MonotonicTime = .now()) -> Bool {
        guard nextRound <= now else { return false }
        nextRound = now.advanced(by: Self.interval)
        return true
    }

    /// The next round is due now.
    func hurry(now: MonotonicTime = .now()) { nextRound = now }

    func isRecollectionDue(now: MonotonicTime = .now()) -> Bool { nextRecollection <= now }
    func isWholeRecollectionDue(now: MonotonicTime = .now()) -> Bool { nextWholeRecollection <= now }
    func recollected(isWhole: Bool, now: MonotonicTime = .now()) {
        nextRecollection = now.advanced(by: Self.recollection)
        if isWhole { nextWholeRecollection = now.advanced(by: Self.wholeRecollection) }
    }

    func isCountDue(now: MonotonicTime = .now()) -> Bool { nextCount <= now }
    func counted(now: MonotonicTime = .now()) { nextCount = now.advanced(by: Self.counting) }
}
