@testable import WaybillPushTransport

/// Whoever hands a batch over.
final class BatchOwner: PushRequestOwner {
    let yields: Bool

    init(yields: Bool = false) {
        self.yields = yields
    }
}

enum Batches {
    /// Requests of an owner that nobody else has.
    static func batch(_ number: Int = 0, count: Int) -> KeptBatch {
        KeptBatch(number: number, owner: BatchOwner(), count: count)
    }
}
