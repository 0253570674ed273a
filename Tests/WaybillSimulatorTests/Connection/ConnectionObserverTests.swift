import Testing

@testable import WaybillSimulator

/// What of a connection's life is entered in the journal, and what is the simulator's own doing.
@Suite struct ConnectionObserverTests {
    private let journal = SimulatorJournal()

    private func makeConnected(receives: Bool = false) -> ConnectionObserver {
        let received = receives ? ReceivedFrames(keepsHeaderBlocks: true) : nil
        var observer = ConnectionObserver(journal: journal, received: received)
        observer.connected(tlsVersion: "TLSv1.3", isResumed: true, certificate: nil)
        return observer
    }

    /// What HTTP/2 refused, by counter.
    struct Refusals: Equatable {
        var streamLimit = 0
        var malformed = 0
        var protocolErrors = 0

        init(streamLimit: Int = 0, malformed: Int = 0, protocolErrors: Int = 0) {
            self.streamLimit = streamLimit
            self.malformed = malformed
            self.protocolErrors = protocolErrors
        }

        init(_ statistics: SimulatorStatistics) {
            streamLimit = statistics.streamLimitViolations
            malformed = statistics.malformedRequests
            protocolErrors = statistics.protocolErrors
        }
    }

    @Test(
        arguments: [
            ([], Refusals()),
            // NO_ERROR, PROTOCOL_ERROR, REFUSED_STREAM (RFC 9113 §7).
            ([.reset(stream: 3, code: 0)], Refusals()), ([.reset(stream: 3, code: 1)], Refusals(malformed: 1)),
            ([.reset(stream: 3, code: 7)], Refusals(streamLimit: 1)),
            ([.reset(stream: 3, code: 1), .reset(stream: 5, code: 1)], Refusals(malformed: 2)),
            // Stream 9 is reset by a rule, once; and so is one GOAWAY sent.
            ([.reset(stream: 9, code: 1)], Refusals()),
            ([.reset(stream: 9, code: 1), .reset(stream: 9, code: 1)], Refusals(malformed: 1)),
            ([.goAway(code: 1, isStreamLimit: false)], Refusals()),
            ([.goAway(code: 1, isStreamLimit: true)], Refusals(streamLimit: 1)),
            ([.goAway(code: 0, isStreamLimit: false), .goAway(code: 0, isStreamLimit: false)], Refusals()),
            (Array(repeating: .goAway(code: 2, isStreamLimit: false), count: 2), Refusals(protocolErrors: 1)),
            // A client breaks the protocol once.
            (Array(repeating: .goAway(code: 2, isStreamLimit: false), count: 4), Refusals(protocolErrors: 1)),
        ] as [([SentFrames.Notice], Refusals)]
    )
    func whatHTTP2Refused(notices: [SentFrames.Notice], expected: Refusals) {
        var observer = makeConnected()
        observer.expectReset(of: 9)
        observer.expectGoAway()
        for notice in notices { observer.sent(notice) }
        #expect(Refusals(journal.statistics) == expected)
    }

    @Test func whatTheClientSendsBesidesRequests() throws {
        var observer = makeConnected(receives: true)
        #expect(observer.watchesReceivedFrames)
        let frames = ReceivedFramesTests.traffic
        frames.withUnsafeBytes { observer.receive($0) }
        let connection = try #require(journal.statistics.connections.first)
        #expect((connection.pingsReceived, connection.pingsAnswered) == (1, 1))
        #expect(connection.goAwaysReceived == [11])
        #expect(journal.headerBlocks.map(\.stream) == [1, 3])
        #expect(journal.headerBlocks.allSatisfy { $0.connection == 1 })
    }

    @Test func nobodyLooksAtWhatNobodyWants() {
        var observer = makeConnected()
        #expect(!observer.watchesReceivedFrames)
        ReceivedFramesTests.traffic.withUnsafeBytes { observer.receive($0) }
        #expect(journal.headerBlocks.isEmpty)
        #expect(journal.statistics.connections.map(\.pingsReceived) == [0])
    }

    @Test func acceptancesOfATurnAreEnteredTogether() {
        var observer = makeConnected()
        for _ in 0..<3 { observer.answered(.accepted) }
        observer.answered(SimulatorAnswer(status: 410, reason: "Unregistered"))
        #expect(journal.statistics.requests == 1)
        observer.endTurn()
        observer.endTurn()
        #expect(journal.statistics.requests == 4)
        #expect(journal.statistics.count(status: 200) == 3)
        #expect(journal.statistics.count(status: 410, reason: "Unregistered") == 1)
        #expect(journal.statistics.connections.map(\.requests) == [4])
    }

    @Test(arguments: [0, 2])
    func theEndEntersWhatIsLeft(abandoned: Int) {
        var observer = makeConnected()
        observer.answered(.accepted)
        observer.disconnected(abandoned: abandoned)
        #expect(journal.statistics.requests == 1)
        #expect(journal.statistics.abandonedRequests == abandoned)
        #expect(journal.statistics.connections.map(\.isOpen) == [false])
    }

    @Test func beforeTheHandshakeThereIsNoConnectionToEnd() {
        var observer = ConnectionObserver(journal: journal, received: nil)
        observer.failedHandshake()
        observer.disconnected(abandoned: 1)
        #expect(observer.number == 0)
        #expect(journal.statistics.connections.isEmpty)
        #expect(journal.statistics.failedHandshakes == 1)
        #expect(journal.statistics.abandonedRequests == 0)
    }

    @Test func faultsOfRulesAreCountedByName() {
        let observer = makeConnected()
        observer.fault("reset")
        observer.fault("reset")
        observer.oversizedHeaderList()
        observer.abandonedRequest()
        observer.peaked(17)
        #expect(journal.statistics.faults == ["connection:reset": 2])
        #expect(journal.statistics.oversizedHeaderLists == 1)
        #expect(journal.statistics.abandonedRequests == 1)
        #expect(journal.statistics.connections.map(\.maxConcurrentStreams) == [17])
    }
}
