import WaybillMongo
import WaybillThreads

/// Looks from time to time for what is to be sent again and that nobody can read: it is told, and nobody takes it.
///
/// *Thread:* the worker's. *Blocking:* up to the limits of the pool and the time limit.
final class StrayFamilies {
    private static let pause = Duration.seconds(5)

    private let odd: OddDocuments
    /// Nobody looks before.
    private var hold = MonotonicTime.now()

    init(odd: OddDocuments) {
        self.odd = odd
    }

    /// Looks, if it is time to.
    func look(_ repeater: Repeater) throws(MongoError) {
        let now = MonotonicTime.now()
        guard hold <= now else { return }
        hold = now.advanced(by: Self.pause)
        for one in try repeater.unreadable() { odd.unreadable(one) }
    }
}
