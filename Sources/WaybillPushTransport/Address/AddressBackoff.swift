import WaybillThreads

/// What a lane knows about its endpoint's addresses: which of them failed, and until when they are left alone.
///
/// Each address has a growing delay of its own, so that one dead address keeps nobody from the others.
struct AddressBackoff {
    private struct Failures {
        var backoff: ReconnectBackoff
        var notBefore: MonotonicTime
    }

    private let delays: ReconnectDelays
    private var byAddress: [SocketAddress: Failures] = [:]
    /// The host's name: it may not be resolvable, or the proxy may refuse.
    private var host: Failures?
    /// What the last look-up found.
    private var known: [SocketAddress] = []
    private var rotation = 0

    init(delays: ReconnectDelays) {
        self.delays = delays
    }

    /// When a connection may be tried again; `nil` for at once.
    var notBefore: MonotonicTime? {
        if let host { return host.notBefore }
        var earliest: MonotonicTime?
        for address in known {
            guard let failures = byAddress[address] else { return nil }
            earliest = min(earliest ?? failures.notBefore, failures.notBefore)
        }
        return earliest
    }

    /// The addresses to try, in order: those that are not left alone, or all of them when there is none such.
    mutating func candidates(_ found: [SocketAddress], at now: MonotonicTime) -> [SocketAddress] {
        host = nil
        known = found
        // A large service's addresses change with every look-up: what is gone need not be remembered forever.
        byAddress = byAddress.filter { found.contains($0.key) || $0.value.notBefore > now }
        let order = AddressOrder.spread(found, rotation: rotation)
        rotation += 1
        let free = order.filter { (byAddress[$0]?.notBefore ?? now) <= now }
        return free.isEmpty ? order : free
    }

    /// An address did not answer, or its connection ended before it had carried anything.
    ///
    /// - Parameters:
    ///   - address: `nil` when it never came to an address.
    ///   - lifetime: how long its connection was open. One that stood longer than the longest delay was no failure to
    ///     connect, though every answer on it was an error: what failed before it is forgotten.
    ///   - now: the present.
    ///   - jitter: 0 to 1, random.
    mutating func failed(
        _ address: SocketAddress?,
        after lifetime: Duration = .zero,
        at now: MonotonicTime,
        jitter: Double
    ) {
        guard let address else {
            host = Self.turned(host, delays, at: now, jitter: jitter)
            return
        }
        if lifetime > delays.longest { byAddress[address] = nil }
        byAddress[address] = Self.turned(byAddress[address], delays, at: now, jitter: jitter)
    }

    /// Whether an address failed lately.
    func isLeftAlone(_ address: SocketAddress, at now: MonotonicTime) -> Bool {
        byAddress[address].map { $0.notBefore > now } ?? false
    }

    /// An address carried a request to its answer.
    mutating func proved(_ address: SocketAddress) {
        host = nil
        // Asked after every answer, and mostly there is nothing to forget: an address is not hashed for that.
        if !byAddress.isEmpty { byAddress[address] = nil }
    }

    private static func turned(
        _ failures: Failures?,
        _ delays: ReconnectDelays,
        at now: MonotonicTime,
        jitter: Double
    ) -> Failures {
        var failures = failures ?? Failures(backoff: ReconnectBackoff(delays), notBefore: now)
        failures.notBefore = failures.backoff.failed(at: now, jitter: jitter)
        return failures
    }
}
