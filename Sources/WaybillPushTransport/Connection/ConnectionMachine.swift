import WaybillThreads

/// One connection's life as a state machine without sockets: events go in, what to do comes out.
///
/// ```
/// idle ─► resolving ─► connecting ─► tunnelling ─► securing ─► settling ─► open ─► draining ─► closed
///              │            │      (with a proxy)      │           │         │         │         ▲
///              └────────────┴────────────┴─────────────┴───────────┴─────────┴─────────┴─────────┘
///                                                                           (failure, deadline)
/// ```
///
/// Each stage before `open` has one deadline, and so has the draining. An open connection that has been silent is
/// pinged, and is given up when the ping is not answered; where only so many pings may follow a request, it is closed
/// instead of the next one. One that answers PINGs and no requests is given up when a request's deadline passes with
/// nothing answered since it went out. A draining connection takes no new streams and ends with its last one.
struct ConnectionMachine {
    enum Phase: Hashable {
        case idle
        case resolving
        case connecting
        case tunnelling
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
        /// Begin to connect to one more address; those under way go on.
        case connect(address: Int)
        /// Ask the proxy for a tunnel.
        case openTunnel
        case startTLS
        case startSession
        /// The connection can carry requests.
        case announce
        case ping(UInt64)
        /// The connection is as old as it may become.
        case replace
        case close(End)
    }

    /// How a connection ended.
    enum End: Hashable {
        /// Something broke: for a person to read, and by what is to be done about it.
        case failed(String, PushObstacle.Kind = .network)
        /// In order: the reason.
        case finished(String)

        var text: String {
            switch self {
            case .failed(let text, _), .finished(let text): text
            }
        }
    }

    private let deadlines: TransportDeadlines
    private(set) var phase = Phase.idle
    private(set) var streamLimit: StreamLimit
    private(set) var openStreams = 0
    private(set) var answering = AnsweringRecord()
    /// The connection drains because it was given up, which is a failure.
    private var isGivenUp = false
    /// Whether an answer showed that the connection and its credentials work: worth replacing at once when it ends.
    private(set) var isProved = false
    private var openedAt: MonotonicTime?
    private var stageDeadline: MonotonicTime?
    private var lastHeard = MonotonicTime(nanoseconds: 0)
    private var race: AddressRace?
    private var connectDeadline = MonotonicTime.distantFuture
    /// Since when an open connection has had no stream; `nil` while it has one.
    private(set) var idleSince: MonotonicTime?
    private var ping: (value: UInt64, sentAt: MonotonicTime, deadline: MonotonicTime)?
    private var pings: UInt64 = 0
    /// Since the last request.
    private var idlePings = 0
    private let maximumIdlePings: Int?
    private let lifetime: Duration?
    /// The machine has said that the connection is to be replaced.
    private var isReplacementDue = false

    private let usesProxy: Bool

    init(
        deadlines: TransportDeadlines,
        startsWithOneStream: Bool,
        streamCeiling: Int = TransportSettings.defaultStreamCeiling,
        usesProxy: Bool = false,
        lifetime: Duration? = nil,
        maximumIdlePings: Int? = nil
    ) {
        self.lifetime = lifetime
        self.maximumIdlePings = maximumIdlePings
        self.deadlines = deadlines
        self.usesProxy = usesProxy
        streamLimit = StreamLimit(startsWithOne: startsWithOneStream, ceiling: streamCeiling)
    }

    /// How many requests may be put on streams now.
    var room: Int { phase == .open ? streamLimit.room(open: openStreams) : 0 }

    /// Whether the connection has ever been able to carry requests.
    var hasOpened: Bool { openedAt != nil }

    /// How long the connection has been able to carry requests; none when it never was.
    func lifetime(at now: MonotonicTime) -> Duration { openedAt.map(now.duration(since:)) ?? .zero }

    var isPending: Bool { awaited != nil }

    /// What a connection on its way waits for, to stand behind an address; `nil` for one that is not.
    var awaited: String? {
        switch phase {
        case .resolving: "the name is not resolved yet"
        case .connecting: "no answer to the attempt to connect yet"
        case .tunnelling: "the proxy has opened no tunnel yet"
        case .securing: "no answer to the TLS handshake yet"
        case .settling: "no SETTINGS yet"
        case .idle, .open, .draining, .closed: nil
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
        var race = AddressRace(count: addresses, spacing: deadlines.nextAddress, at: now, until: connectDeadline)
        let step = race.advance(at: now)
        self.race = race
        enter(.connecting, until: nil)
        return follow(step)
    }

    /// An address under way does not answer: another one, if there is one.
    mutating func connectFailed(_ address: Int, error: String, at now: MonotonicTime) -> Action {
        guard phase == .connecting, let step = race?.failed(address, error: error, at: now) else { return .nothing }
        return follow(step)
    }

    /// The first address answered; the others are given up.
    mutating func connected(at now: MonotonicTime) -> Action {
        guard phase == .connecting else { return .nothing }
        race = nil
        guard usesProxy else { return secure(at: now) }
        enter(.tunnelling, until: connectDeadline)
        return .openTunnel
    }

    /// The proxy has opened the tunnel.
    mutating func tunnelOpened(at now: MonotonicTime) -> Action {
        phase == .tunnelling ? secure(at: now) : .nothing
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
    mutating func failed(_ error: String, _ kind: PushObstacle.Kind = .network) -> Action {
        phase == .closed ? .nothing : close(.failed(error, kind))
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
        streamLimit.settings(maximumStreams: maximumStreams)
        guard phase == .settling else { return .nothing }
        enter(.open, until: nil)
        openedAt = now
        lastHeard = now
        idleSince = now
        return .announce
    }

    mutating func streamOpened() {
        openStreams += 1
        idlePings = 0
        idleSince = nil
    }

    /// - Parameters:
    ///   - provesCredentials: whether the answer shows that the connection's credentials are good.
    ///   - submittedAt: when its request went out.
    ///   - now: the present.
    mutating func answered(provesCredentials: Bool, submittedAt: MonotonicTime, at now: MonotonicTime) {
        answering.answered(submittedAt: submittedAt, at: now)
        guard provesCredentials else { return }
        isProved = true
        streamLimit.prove()
    }

    mutating func streamEnded(at now: MonotonicTime) -> Action {
        openStreams -= 1
        if openStreams == 0 { idleSince = now }
        return endIfDrained()
    }

    /// - Returns: how long the answer took; `nil` when it answers nothing.
    mutating func pingAnswered(_ value: UInt64, at now: MonotonicTime) -> Duration? {
        guard let sent = ping, sent.value == value else { return nil }
        ping = nil
        return now.duration(since: sent.sentAt)
    }

    // MARK: Ending

    /// No new streams from here on; the open ones are waited for.
    mutating func drain(_ reason: String, at now: MonotonicTime) -> Action {
        switch phase {
        case .open:
            enter(.draining(reason: reason), until: now.advanced(by: deadlines.close))
            return endIfDrained()
        case .draining, .closed:
            return .nothing
        case .idle, .resolving, .connecting, .tunnelling, .securing, .settling:
            return close(.finished(reason))
        }
    }

    /// The connection does not answer requests: no new streams, and its end is a failure.
    mutating func giveUp(_ error: String, at now: MonotonicTime) -> Action {
        guard phase == .open else { return .nothing }
        isGivenUp = true
        return drain(error, at: now)
    }

    // MARK: Time

    /// When ``deadlineReached(at:)`` must be called at the latest.
    var nextDeadline: MonotonicTime? {
        switch phase {
        case .idle, .closed: nil
        case .connecting: race?.nextDeadline
        case .resolving, .tunnelling, .securing, .settling: stageDeadline
        case .open: replacement.map { min($0, nextPing) } ?? nextPing
        case .draining: stageDeadline.map { min($0, nextPing) }
        }
    }

    private var nextPing: MonotonicTime {
        if let ping { return ping.deadline }
        // Open requests have deadlines of their own.
        if isPingedOut, openStreams > 0 { return .distantFuture }
        return lastHeard.advanced(by: deadlines.pingInterval)
    }

    /// No further PING is allowed before the next request.
    private var isPingedOut: Bool { maximumIdlePings.map { idlePings >= $0 } ?? false }

    /// When an open connection is to be replaced.
    private var replacement: MonotonicTime? {
        guard let lifetime, let openedAt, !isReplacementDue else { return nil }
        return openedAt.advanced(by: lifetime)
    }

    mutating func deadlineReached(at now: MonotonicTime) -> Action {
        guard let nextDeadline, nextDeadline <= now else { return .nothing }
        switch phase {
        case .idle, .closed:
            return .nothing
        case .resolving:
            return close(.failed("the name was not resolved within \(deadlines.resolve)"))
        case .connecting:
            return follow(race?.advance(at: now) ?? .nothing)
        case .tunnelling:
            return close(.failed("the proxy opened no tunnel within \(deadlines.connect)"))
        case .securing:
            return close(.failed("the TLS handshake took longer than \(deadlines.handshake)"))
        case .settling:
            return close(.failed("no SETTINGS within \(deadlines.settings)"))
        case .draining where stageDeadline.map { $0 <= now } == true:
            return close(.failed("answers were still missing \(deadlines.close) after the last request"))
        case .open where replacement.map { $0 <= now } == true:
            isReplacementDue = true
            return .replace
        case .open, .draining:
            if ping != nil { return close(.failed("no answer to PING within \(deadlines.pingAnswer)")) }
            return isPingedOut ? close(.finished("nothing to carry")) : sendPing(at: now)
        }
    }

    // MARK: Steps

    private mutating func enter(_ next: Phase, until deadline: MonotonicTime?) {
        phase = next
        stageDeadline = deadline
    }

    private mutating func secure(at now: MonotonicTime) -> Action {
        enter(.securing, until: now.advanced(by: deadlines.handshake))
        return .startTLS
    }

    private mutating func follow(_ step: AddressRace.Step) -> Action {
        switch step {
        case .nothing: .nothing
        case .start(let address): .connect(address: address)
        case .lost(let error): close(.failed(error))
        }
    }

    private mutating func sendPing(at now: MonotonicTime) -> Action {
        pings += 1
        idlePings += 1
        ping = (pings, now, now.advanced(by: deadlines.pingAnswer))
        return .ping(pings)
    }

    private mutating func endIfDrained() -> Action {
        guard case .draining(let reason) = phase, openStreams == 0 else { return .nothing }
        return close(isGivenUp ? .failed(reason) : .finished(reason))
    }

    private mutating func close(_ end: End) -> Action {
        enter(.closed, until: nil)
        return .close(end)
    }
}
