import WaybillMongo
import WaybillThreads

/// When somebody looks once more for what nobody takes.
///
/// Such a look reads all that is under way, of which there may be any number: it has a small part of the time, and none that takes too long
/// keeps anything from being sent.
struct LookPace {
    private static let shortest = Duration.seconds(5)
    /// The pause after a look is so many times as long as the look.
    private static let share = 20

    /// Nobody looks before.
    private(set) var next: MonotonicTime

    init(first: MonotonicTime = .now()) {
        next = first
    }

    /// Looks, if it is time to.
    ///
    /// - Parameters:
    ///   - clock: gives the time.
    ///   - body: the look.
    /// - Returns: for how long nobody looks again, where the store has ended the look at its time limit; `nil` in all other cases.
    /// - Throws: what else the store says.
    mutating func look(
        clock: () -> MonotonicTime = MonotonicTime.now,
        _ body: () throws(MongoError) -> Void
    ) throws(MongoError) -> Duration? {
        let start = clock()
        guard next <= start else { return nil }
        var isCut = false
        var pause = Self.shortest
        defer { next = clock().advanced(by: pause) }
        do throws(MongoError) {
            try body()
        } catch {
            guard error.code == .timeLimitExceeded else { throw error }
            isCut = true
        }
        pause = max(pause, clock().duration(since: start) * Self.share)
        return isCut ? pause : nil
    }
}
