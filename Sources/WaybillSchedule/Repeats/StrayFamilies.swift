import WaybillMongo

/// Looks from time to time for what is to be sent again and that nobody can read: it is told, and nobody takes it.
///
/// *Thread:* the worker's. *Blocking:* up to the limits of the pool and the time limit.
final class StrayFamilies {
    private let odd: OddDocuments
    private var pace = LookPace()

    init(odd: OddDocuments) {
        self.odd = odd
    }

    /// Looks, if it is time to.
    func look(_ repeater: Repeater) throws(MongoError) {
        let pause = try pace.look { () throws(MongoError) in
            for one in try repeater.unreadable() { odd.unreadable(one) }
        }
        if let pause { odd.cut("what is to be sent again and cannot be read", retryIn: pause) }
    }
}
