import Threads

/// One connection's life as a state machine without sockets: events go in, what to do comes out.
///
/// ```
/// idle ─► resolving ─► connecting ─► securing ─► settling ─► open ─► draining ─► closed
///              └────────────┴────────────┴───────────┴─────────┴────────┘ (failure, deadline)
/// ```
///
/// Each stage before `open` has one deadline. An open connection that has been silent is pinged, and is given up when
/// the ping is not answered. A draining connection takes no new streams and ends with its last one; every stream has a
/// deadline of its own, so that it does end.
struct ConnectionMachine {
    enum Phase: Hashable {
        case idle
        case resolving
        case connecting(address: Int, of: Int)
        case securing
        case settling
        case open
        case draining(reason: String)
        case closed
    }

    /// What the executor does next.
    enum Action: Hashable {
        case nothing
        case resolve
        case connect(address: Int)
        case startTLS
        case startSession
        /// The connection can carry requests.
        case announce
        case ping(UInt64)
        case close(End)
    }

    /// How a connection ended.
    enum End: Hashable {
        /// Something broke, for a person to read.
        case failed(String)
        /// In order: the reason.
        case finished(String)
    }

    private let deadlines: APNSDeadlines
    private(set) var phase = Phase.idle
    private(set) var gate: StreamGate
    private(set) var openStreams = 0
    /// Whether an answer showed that the connection and its credentials work: worth replacing at once when it ends.
    private(set) var isProved = false
    private var stageDeadline: MonotonicTime?
    private var lastHeard = MonotonicTime(nanoseconds: 0)
    private var lastAddressError: String?
    private var ping: (value: UInt64, deadline: MonotonicTime)?
    private var pings: UInt64 = 0

    init(deadlines: APNSDeadlines, startsWithOneStream: Bool) {
        self.deadlines = deadlines
        gate = StreamGate(startsWithOne: startsWithOneStream)
    }

    /// How many requests may be put on streams now.
    var room: Int { phase == .open ? gate.room(open: openStreams) : 0 }

    var isPending: Bool {
        switch phase {
        case .resolving, .connecting, .securing, .settling: true
        case .idle, .open, .draining, .closed: false
        }
    }

    var isDraining: Bool {
        if case .draining = phase { true } else { false }
    }

    // MARK: Making the connection

    mutating func start(at now: MonotonicTime) -> Action {
        enter(.resolving, until: now.advanced(by: deadlines.resolve))
        return .resolve
    }

    /// The host name stands for this many addresses.
    mutating func resolved(addresses: Int, at now: MonotonicTime) -> Action {
        guard phase == .resolving else { return .nothing }
        guard addresses > 0 else { return close(.failed("the name has no address")) }
        connectDeadline = now.advanced(by: deadlines.connect)
        return connect(to: 0, of: addresses, at: now)
    }

    private var connectDeadline = MonotonicTime.distantFuture

    /// The address under way does not answer: the next one, if there is one.
    mutating func connectFailed(_ error: String, at now: MonotonicTime) -> Action {
        guard case .connecting(let address, let count) = phase else { return .nothing }
        lastAddressError = error
        guard address + 1 < count, now < connectDeadline else { return close(.failed(error)) }
        return connect(to: address + 1, of: count, at: now)
    }

    mutating func connected(at now: MonotonicTime) -> Action {
        guard case .connecting = phase else { return .nothing }
        enter(.securing, until: now.advanced(by: deadlines.handshake))
        return .startTLS
    }

    /// The handshake is done.
    ///
    /// - Parameters:
    ///   - applicationProtocol: what ALPN settled on.
    ///   - now: the present.
    /// - Returns: what to do next.
    mutating func secured(applicationProtocol: String?, at now: MonotonicTime) -> Action {
        guard phase == .securing else { return .nothing }
        guard applicationProtocol == "h2" else {
            return close(.failed("the server does not speak HTTP/2 (ALPN: \(applicationProtocol ?? "nothing"))"))
        }
        enter(.settling, until: now.advanced(by: deadlines.settings))
        return .startSession
    }

    /// Resolving, the handshake, reading or writing failed.
    mutating func failed(_ error: String) -> Action {
        phase == .closed ? .nothing : close(.failed(error))
    }

    /// The peer ended the connection: nothing to complain of when no request was open.
    mutating func closedByPeer(_ text: String) -> Action {
        switch phase {
        case .closed: .nothing
        case .open where openStreams == 0: close(.finished(text))
        default: close(.failed(text))
        }
    }

    // MARK: Carrying requests

    mutating func heard(at now: MonotonicTime) {
        lastHeard = now
    }

    /// The server's SETTINGS, the first or a later one.
    mutating func settings(maximumStreams: Int, at now: MonotonicTime) -> Action {
        gate.settings(maximumStreams: maximumStreams)
        guard phase == .settling else { return .nothing }
        enter(.open, until: nil)
        lastHeard = now
        return .announce
    }

    mutating func streamOpened() {
        openStreams += 1
    }

    mutating func answered(status: Int) {
        guard Self.proves(status) else { return }
        isProved = true
        gate.prove()
    }

    mutating func streamEnded() -> Action {
        openStreams -= 1
        return endIfDrained()
    }

    /// A request met its deadline.
    ///
    /// On a connection that has not been heard since the request went out, that is a sign of
    /// a peer that is gone: ask it now rather than after the idle interval.
    mutating func requestTimedOut(at now: MonotonicTime) -> Action {
        guard ping == nil, now.duration(since: lastHeard) >= deadlines.request else { return .nothing }
        return sendPing(at: now)
    }

    mutating func pingAnswered(_ value: UInt64) {
        if ping?.value == value { ping = nil }
    }

    // MARK: Ending

    /// No new streams from here on; the open ones are waited for.
    mutating func drain(_ reason: String) -> Action {
        switch phase {
        case .open:
            enter(.draining(reason: reason), until: nil)
            return endIfDrained()
        case .draining, .closed:
            return .nothing
        case .idle, .resolving, .connecting, .securing, .settling:
            return close(.finished(reason))
        }
    }

    /// APNs looks at the credentials first: an answer about anything else shows that they are good.
    private static func proves(_ status: Int) -> Bool {
        status != 401 && status != 403 && status != 429 && status < 500
    }

    // MARK: Time

    /// When ``deadlineReached(at:)`` must be called at the latest.
    var nextDeadline: MonotonicTime? {
        switch phase {
        case .idle, .closed: nil
        case .resolving, .connecting, .securing, .settling: stageDeadline
        case .open, .draining: ping?.deadline ?? lastHeard.advanced(by: deadlines.pingInterval)
        }
    }

    mutating func deadlineReached(at now: MonotonicTime) -> Action {
        guard let nextDeadline, nextDeadline <= now else { return .nothing }
        switch phase {
        case .idle, .closed:
            return .nothing
        case .resolving:
            return close(.failed("the name was not resolved within \(deadlines.resolve)"))
        case .connecting:
            return connectFailed(lastAddressError ?? "no connection within \(deadlines.connect)", at: now)
        case .securing:
            return close(.failed("the TLS handshake took longer than \(deadlines.handshake)"))
        case .settling:
            return close(.failed("no SETTINGS within \(deadlines.settings)"))
        case .open, .draining:
            if ping != nil { return close(.failed("no answer to PING within \(deadlines.pingAnswer)")) }
            return sendPing(at: now)
        }
    }

    // MARK: Steps

    private mutating func enter(_ next: Phase, until deadline: MonotonicTime?) {
        phase = next
        stageDeadline = deadline
    }

    /// Each address has its share of the time that is left, so that one which swallows packets leaves some for the rest.
    private mutating func connect(to address: Int, of count: Int, at now: MonotonicTime) -> Action {
        let share = connectDeadline.duration(since: now) / (count - address)
        enter(.connecting(address: address, of: count), until: now.advanced(by: share))
        return .connect(address: address)
    }

    private mutating func sendPing(at now: MonotonicTime) -> Action {
        pings += 1
        ping = (pings, now.advanced(by: deadlines.pingAnswer))
        return .ping(pings)
    }

    private mutating func endIfDrained() -> Action {
        guard case .draining(let reason) = phase, openStreams == 0 else { return .nothing }
        return close(.finished(reason))
    }

    private mutating func close(_ end: End) -> Action {
        enter(.closed, until: nil)
        return .close(end)
    }
}
