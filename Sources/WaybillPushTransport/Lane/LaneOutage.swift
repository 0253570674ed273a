import WaybillThreads

/// Since when a lane tries to connect in vain.
struct LaneOutage {
    /// How the last attempt has failed, and when the first one began; `nil` while none has since a connection stood.
    private var failure: PushObstacle?

    /// An attempt has failed, or a connection has broken.
    ///
    /// - Parameters:
    ///   - kind: by what is to be done about it.
    ///   - text: for a person.
    ///   - begin: of the attempt; of a connection that stood, when it broke.
    mutating func failed(_ kind: PushObstacle.Kind, _ text: String, begin: MonotonicTime) {
        failure = PushObstacle(kind, text, since: failure.map { min($0.since, begin) } ?? begin)
    }

    /// A connection stands.
    mutating func ended() { failure = nil }

    /// What keeps the lane from having a connection, while it has none.
    ///
    /// - Parameter pending: the attempt under way: when it began, and what it waits for.
    /// - Returns: `nil` where no attempt has failed or is under way.
    func obstacle(pending: (begin: MonotonicTime, text: String)?) -> PushObstacle? {
        guard let pending else { return failure }
        guard let failure else { return PushObstacle(.network, pending.text, since: pending.begin) }
        return PushObstacle(failure.kind, failure.text, since: min(failure.since, pending.begin))
    }
}
