import WaybillMongo
import WaybillThreads

/// What some process has begun and not done to its end, done by whichever finds it.
enum Sweep {
    /// Longer than a request takes, in milliseconds: what somebody works on is not looked for.
    static let patience: Int64 = 60_000
    static let mostAtOnce = 1000

    /// Does all of it; what cannot be done holds up none of the rest.
    ///
    /// - Parameters:
    ///   - items: where they come in another order each time, each has its turn first.
    ///   - deadline: nothing further is begun after it; the next sweep goes on.
    ///   - body: does one.
    /// - Returns: those that could not be done, each with what the store has said.
    static func each<Item>(
        of items: some Sequence<Item>,
        until deadline: MonotonicTime,
        _ body: (Item) throws(MongoError) -> Void
    ) -> [(Item, MongoError)] {
        var failed: [(Item, MongoError)] = []
        for item in items {
            guard MonotonicTime.now() < deadline else { break }
            do throws(MongoError) {
                try body(item)
            } catch {
                failed.append((item, error))
            }
        }
        return failed
    }
}
