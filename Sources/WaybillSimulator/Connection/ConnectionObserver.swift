import WaybillHTTP2

/// Tells the journal what happens on one connection.
struct ConnectionObserver {
    private let journal: SimulatorJournal
    /// The connection's number in journal and record; 0 before the handshake is done.
    private(set) var number = 0
    private var received: ReceivedFrames?
    private var ownResets: Set<Int32> = []
    private var ownGoAways = 0
    private var hasBrokenProtocol = false
    private var acceptedThisTurn = 0
    /// PINGs of the client's since its last request began.
    private(set) var pingsSinceRequest = 0

    /// - Parameters:
    ///   - journal: what is told.
    ///   - received: looks through the frames that arrive; `nil` where nobody wants to know.
    init(journal: SimulatorJournal, received: ReceivedFrames?) {
        self.journal = journal
        self.received = received
    }

    /// Whether ``receive(_:)`` makes anything of the bytes.
    var watchesReceivedFrames: Bool { received != nil }

    mutating func connected(tlsVersion: String, isResumed: Bool, certificate: ProviderCertificate?) {
        number = journal.connected(tlsVersion: tlsVersion, isResumed: isResumed, certificate: certificate)
    }

    /// Enters the connection's end.
    mutating func disconnected(abandoned: Int) {
        guard number > 0 else { return }
        endTurn()
        if abandoned > 0 { journal.count { $0.abandonedRequests += abandoned } }
        journal.disconnected(connection: number)
    }

    /// Enters something that the connection's rule has caused.
    func fault(_ name: String) {
        journal.count { $0.faults["connection:\(name)", default: 0] += 1 }
    }

    /// Enters what the client has sent besides requests.
    mutating func receive(_ bytes: UnsafeRawBufferPointer) {
        var pings = 0
        received?.receive(bytes) { [journal, number] notice in
            switch notice {
            case .ping:
                pings += 1
                journal.change(connection: number) { $0.pingsReceived += 1 }
            case .pingAnswer: journal.change(connection: number) { $0.pingsAnswered += 1 }
            case .goAway(let code): journal.change(connection: number) { $0.goAwaysReceived.append(code) }
            case .headerBlock(let stream, let bytes):
                journal.received(RecordedHeaderBlock(connection: number, stream: stream, bytes: bytes))
            }
        }
        pingsSinceRequest += pings
    }

    /// A request has begun.
    mutating func requestBegan() {
        pingsSinceRequest = 0
    }

    /// Enters a constant answer; ``endTurn()`` enters those of a turn together.
    mutating func answered(_ answer: SimulatorAnswer) {
        if answer == .accepted {
            acceptedThisTurn += 1
        } else {
            journal.decided(connection: number, answer: answer, fault: nil, request: nil)
        }
    }

    mutating func endTurn() {
        guard acceptedThisTurn > 0 else { return }
        journal.accepted(acceptedThisTurn, connection: number)
        acceptedThisTurn = 0
    }

    /// A reset of the simulator's own is about to leave, which is not HTTP/2's refusal.
    mutating func expectReset(of stream: Int32) {
        ownResets.insert(stream)
    }

    /// A GOAWAY of the simulator's own is about to leave.
    mutating func expectGoAway() {
        ownGoAways += 1
    }

    /// Enters what HTTP/2 itself refused.
    mutating func sent(_ notice: SentFrames.Notice) {
        switch notice {
        case .reset(let stream, let code):
            if ownResets.remove(stream) != nil { return }
            if code == HTTP2ErrorCode.refusedStream.rawValue {
                journal.count { $0.streamLimitViolations += 1 }
            } else if code != HTTP2ErrorCode.noError.rawValue {
                journal.count { $0.malformedRequests += 1 }
            }
        case .goAway(_, isStreamLimit: true):
            journal.count { $0.streamLimitViolations += 1 }
        case .goAway(let code, isStreamLimit: false):
            if ownGoAways > 0 {
                ownGoAways -= 1
            } else if code != HTTP2ErrorCode.noError.rawValue {
                protocolError()
            }
        }
    }

    /// Enters, once, that the client broke HTTP/2.
    mutating func protocolError() {
        guard !hasBrokenProtocol else { return }
        hasBrokenProtocol = true
        journal.count { $0.protocolErrors += 1 }
    }

    /// Enters how many streams were open at once.
    func peaked(_ streams: Int) {
        journal.peaked(connection: number, streams: streams)
    }

    func oversizedHeaderList() {
        journal.count { $0.oversizedHeaderLists += 1 }
    }

    func abandonedRequest() {
        journal.count { $0.abandonedRequests += 1 }
    }

    func failedHandshake() {
        journal.count { $0.failedHandshakes += 1 }
    }
}
