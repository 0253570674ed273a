import HTTPTypes
import WaybillThreads

/// Bounds the answers that go on and on, WebSockets included: of each key or account, and of all together.
final class StreamPlaces: Sendable {
    private let taken = Guarded<[String: Int]>([:])

    /// Takes a place for an answer.
    ///
    /// - Parameters:
    ///   - key: the public name of the key that asks, or of the account.
    ///   - what: what it is, for the refusal.
    /// - Returns: the place; it is given back with the last reference.
    /// - Throws: ``Problem`` 429 when the key has all of its places, 503 when all together have.
    func take(_ key: String, of what: String = "a key") throws(Problem) -> StreamPlace {
        try taken.withLock { taken throws(Problem) in
            guard taken[key, default: 0] < APILimits.streamsOfOneKey else {
                throw Problem(.tooManyRequests, "\(what) has \(APILimits.streamsOfOneKey) streams at once at the most")
                    .with(.retryAfter, "5")
            }
            guard taken.values.reduce(0, +) < APILimits.streams else {
                throw Problem.unavailable("there are \(APILimits.streams) streams already")
            }
            taken[key, default: 0] += 1
        }
        return StreamPlace { [self] in
            taken.withLock { taken in
                let left = taken[key, default: 1] - 1
                taken[key] = left > 0 ? left : nil
            }
        }
    }

    /// Places that are taken.
    var count: Int { taken.withLock { $0.values.reduce(0, +) } }
}

/// One answer's place among the streams.
final class StreamPlace: Sendable {
    private let giveBack: @Sendable () -> Void

    fileprivate init(giveBack: @escaping @Sendable () -> Void) {
        self.giveBack = giveBack
    }

    deinit { giveBack() }
}
