import HTTPTypes
import WaybillThreads

/// Bounds the answers that go on and on, WebSockets included.
///
/// Keys of operators and people's accounts have separate pools: people never use up an operator's tail or export.
final class StreamPlaces: Sendable {
    /// A number of streams at once.
    private struct Bound: Sendable {
        let name: String
        let most: Int
        /// For the refusal.
        let owner: String
    }

    private static let keys = Bound(name: "keys", most: APILimits.keyStreams, owner: "keys")
    private static let people = Bound(name: "people", most: APILimits.peopleStreams, owner: "people")

    /// By the bound's name.
    private let taken = Guarded<[String: Int]>([:])

    /// Takes a place for an answer to an operator.
    ///
    /// - Parameter key: the public name of the key.
    /// - Returns: the place; it is given back with the last reference.
    /// - Throws: ``Problem`` 429 when the key has all of its places, 503 when all keys together have.
    func take(_ key: String) throws(Problem) -> StreamPlace {
        try take(of: Self.keys, [Bound(name: "key \(key)", most: APILimits.streamsOfOneKey, owner: "a key")])
    }

    /// Takes a place for an answer to a person.
    ///
    /// - Parameters:
    ///   - account: the id of the person's account.
    ///   - neighbourhood: of the request's address.
    /// - Returns: the place; it is given back with the last reference.
    /// - Throws: ``Problem`` 429 when the account or its network has all of its places, 503 when all people together have.
    func take(account: String, from neighbourhood: String) throws(Problem) -> StreamPlace {
        let networks = AddressBlock.around(neighbourhood).map { block in
            Bound(name: "network \(block.name)", most: APILimits.peopleStreams(in: block), owner: "a network")
        }
        let own = Bound(name: "account \(account)", most: APILimits.streamsOfOneKey, owner: "an account")
        return try take(of: Self.people, [own] + networks)
    }

    private func take(of pool: Bound, _ bounds: [Bound]) throws(Problem) -> StreamPlace {
        let names = bounds.map(\.name) + [pool.name]
        try taken.withLock { taken throws(Problem) in
            for bound in bounds where taken[bound.name, default: 0] >= bound.most {
                throw Problem(.tooManyRequests, "\(bound.owner) has \(bound.most) streams at once at the most")
                    .with(.retryAfter, "5")
            }
            guard taken[pool.name, default: 0] < pool.most else {
                throw Problem.unavailable("there are \(pool.most) streams of \(pool.owner) already")
            }
            for name in names { taken[name, default: 0] += 1 }
        }
        return StreamPlace { [self] in
            taken.withLock { taken in
                for name in names {
                    let left = taken[name, default: 1] - 1
                    taken[name] = left > 0 ? left : nil
                }
            }
        }
    }

    /// Places that are taken.
    var count: Int {
        taken.withLock { $0[Self.keys.name, default: 0] + $0[Self.people.name, default: 0] }
    }
}

/// One answer's place among the streams.
final class StreamPlace: Sendable {
    private let giveBack: @Sendable () -> Void

    fileprivate init(giveBack: @escaping @Sendable () -> Void) {
        self.giveBack = giveBack
    }

    deinit { giveBack() }
}
