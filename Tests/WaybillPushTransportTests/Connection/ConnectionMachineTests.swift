import Testing
import WaybillThreads

@testable import WaybillPushTransport

@Suite("The connection machine, in virtual time")
struct ConnectionMachineTests {
    private static let start = MonotonicTime(nanoseconds: 1_000_000_000_000)

    private static func at(_ seconds: Int) -> MonotonicTime {
        start.advanced(by: .seconds(seconds))
    }

    private static func machine() -> ConnectionMachine {
        ConnectionMachine(deadlines: TransportDeadlines(), startsWithOneStream: true)
    }

    private static func opened(streams: Int = 1000) -> ConnectionMachine {
        opened(machine(), streams: streams)
    }

    private static func opened(_ machine: ConnectionMachine, streams: Int) -> ConnectionMachine {
        var machine = machine
        _ = machine.start(at: start)
        _ = machine.resolved(addresses: 1, at: start)
        _ = machine.connected(at: start)
        _ = machine.secured(applicationProtocol: "h2", at: start)
        _ = machine.settings(maximumStreams: streams, at: start)
        return machine
    }

    @Test("The way to an open connection, one action at a time")
    func way() {
        var machine = Self.machine()
        #expect(machine.start(at: Self.start) == .resolve)
        #expect(machine.resolved(addresses: 2, at: Self.start) == .connect(address: 0))
        #expect(machine.connectFailed(0, error: "refused", at: Self.start) == .connect(address: 1))
        #expect(machine.connected(at: Self.start) == .startTLS)
        #expect(machine.secured(applicationProtocol: "h2", at: Self.start) == .startSession)
        #expect(machine.room == 0)
        #expect(machine.settings(maximumStreams: 1, at: Self.start) == .announce)
        #expect(machine.room == 1)
        #expect(machine.settings(maximumStreams: 9, at: Self.start) == .nothing)
    }

    @Test("No HTTP/2, no connection", arguments: [nil, "http/1.1"])
    func alpn(name: String?) {
        var machine = Self.machine()
        _ = machine.start(at: Self.start)
        _ = machine.resolved(addresses: 1, at: Self.start)
        _ = machine.connected(at: Self.start)
        guard case .close(.failed) = machine.secured(applicationProtocol: name, at: Self.start) else {
            Issue.record("went on without h2")
            return
        }
    }

    @Test("Every stage has a deadline")
    func stageDeadlines() {
        let deadlines = TransportDeadlines()
        func expectFailure(_ machine: ConnectionMachine, after limit: Duration) {
            var machine = machine
            #expect(machine.nextDeadline == Self.start.advanced(by: limit))
            #expect(machine.deadlineReached(at: Self.start.advanced(by: limit - .seconds(1))) == .nothing)
            guard case .close(.failed) = machine.deadlineReached(at: Self.start.advanced(by: limit)) else {
                Issue.record("not given up after \(limit)")
                return
            }
        }
        var machine = Self.machine()
        _ = machine.start(at: Self.start)
        expectFailure(machine, after: deadlines.resolve)
        _ = machine.resolved(addresses: 1, at: Self.start)
        expectFailure(machine, after: deadlines.connect)
        _ = machine.connected(at: Self.start)
        expectFailure(machine, after: deadlines.handshake)
        _ = machine.secured(applicationProtocol: "h2", at: Self.start)
        expectFailure(machine, after: deadlines.settings)
    }

    @Test("An address that says nothing is joined by the next one, and the first that answers is taken")
    func race() {
        var machine = Self.machine()
        _ = machine.start(at: Self.start)
        _ = machine.resolved(addresses: 2, at: Self.start)
        let spacing = TransportDeadlines().nextAddress
        #expect(machine.nextDeadline == Self.start.advanced(by: spacing))
        #expect(machine.deadlineReached(at: Self.start.advanced(by: spacing)) == .connect(address: 1))
        #expect(machine.nextDeadline == Self.start.advanced(by: TransportDeadlines().connect))
        #expect(machine.connectFailed(1, error: "refused", at: Self.at(1)) == .nothing)
        #expect(machine.connected(at: Self.at(2)) == .startTLS)
    }

    @Test("With a proxy, the tunnel comes before TLS and has what is left of the time to connect")
    func proxy() {
        var machine = ConnectionMachine(deadlines: TransportDeadlines(), startsWithOneStream: true, usesProxy: true)
        _ = machine.start(at: Self.start)
        _ = machine.resolved(addresses: 1, at: Self.start)
        #expect(machine.connected(at: Self.at(3)) == .openTunnel)
        #expect(machine.isPending)
        #expect(machine.nextDeadline == Self.start.advanced(by: TransportDeadlines().connect))
        var late = machine
        guard case .close(.failed) = late.deadlineReached(at: Self.at(10)) else {
            Issue.record("the proxy may keep us waiting forever")
            return
        }
        #expect(machine.tunnelOpened(at: Self.at(4)) == .startTLS)
        #expect(machine.tunnelOpened(at: Self.at(4)) == .nothing)
    }

    @Test("Names without addresses, and addresses that all refuse")
    func unreachable() {
        var nameless = Self.machine()
        _ = nameless.start(at: Self.start)
        #expect(nameless.resolved(addresses: 0, at: Self.start) == .close(.failed("the name has no address")))
        var refused = Self.machine()
        _ = refused.start(at: Self.start)
        _ = refused.resolved(addresses: 1, at: Self.start)
        #expect(refused.connectFailed(0, error: "refused", at: Self.start) == .close(.failed("refused")))
    }

    @Test("An answer about the credentials does not lift the limit of one, any other does")
    func limit() {
        var machine = Self.opened()
        machine.answered(provesCredentials: false, submittedAt: Self.start, at: Self.start)
        #expect(machine.room == 1)
        #expect(!machine.isProved)
        machine.answered(provesCredentials: true, submittedAt: Self.start, at: Self.start)
        #expect(machine.room == 1000)
        #expect(machine.isProved)
    }

    @Test("The lifetime counts from the moment the connection can carry requests")
    func lifetime() {
        let made = Self.machine()
        #expect(made.lifetime(at: Self.at(9)) == .zero)
        let opened = Self.opened()
        #expect(opened.lifetime(at: Self.at(9)) == .seconds(9))
    }

    @Test("Silence is pinged after the interval, and ends the connection when the ping stays unanswered")
    func ping() {
        var machine = Self.opened()
        #expect(machine.nextDeadline == Self.at(30))
        machine.heard(at: Self.at(5))
        #expect(machine.deadlineReached(at: Self.at(30)) == .nothing)
        #expect(machine.deadlineReached(at: Self.at(35)) == .ping(1))
        #expect(machine.nextDeadline == Self.at(45))
        guard case .close(.failed) = machine.deadlineReached(at: Self.at(45)) else {
            Issue.record("a dead connection is kept")
            return
        }
    }

    @Test("An answered ping starts the interval anew; another value answers nothing")
    func pingAnswered() {
        var machine = Self.opened()
        #expect(machine.deadlineReached(at: Self.at(30)) == .ping(1))
        machine.heard(at: Self.at(31))
        let strange = machine.pingAnswered(99, at: Self.at(31))
        #expect(strange == nil)
        #expect(machine.nextDeadline == Self.at(40))
        let time = machine.pingAnswered(1, at: Self.at(31))
        #expect(time == .seconds(1))
        #expect(machine.nextDeadline == Self.at(61))
        #expect(machine.deadlineReached(at: Self.at(61)) == .ping(2))
    }

    @Test("Answered PINGs and WINDOW_UPDATEs are no answers: since a request went out, the connection is silent")
    func silence() {
        var machine = Self.opened()
        machine.answered(provesCredentials: true, submittedAt: Self.at(0), at: Self.at(1))
        machine.streamOpened()
        machine.heard(at: Self.at(30))
        #expect(machine.deadlineReached(at: Self.at(60)) == .ping(1))
        machine.heard(at: Self.at(61))
        #expect(machine.pingAnswered(1, at: Self.at(61)) == .seconds(1))
        #expect(machine.answering.isSilent(since: Self.at(2)))
        #expect(!machine.answering.isSilent(since: Self.at(1)))
        machine.answered(provesCredentials: false, submittedAt: Self.at(2), at: Self.at(62))
        #expect(!machine.answering.isSilent(since: Self.at(2)))
    }

    @Test("Given up: no new streams, the open ones are waited for, and the end is a failure")
    func giveUp() {
        var machine = Self.opened()
        machine.streamOpened()
        machine.streamOpened()
        #expect(machine.giveUp("no answers", at: Self.at(15)) == .nothing)
        #expect(machine.isDraining)
        #expect(machine.room == 0)
        #expect(machine.giveUp("no answers", at: Self.at(16)) == .nothing)
        #expect(machine.streamEnded(at: Self.at(16)) == .nothing)
        #expect(machine.streamEnded(at: Self.at(17)) == .close(.failed("no answers")))
    }

    @Test("Given up with the last stream gone: over at once; one that drains anyway keeps its reason")
    func giveUpAtOnce() {
        var idle = Self.opened()
        #expect(idle.giveUp("no answers", at: Self.at(15)) == .close(.failed("no answers")))
        #expect(idle.giveUp("no answers", at: Self.at(15)) == .nothing)
        var draining = Self.opened()
        draining.streamOpened()
        #expect(draining.drain("GOAWAY", at: Self.at(1)) == .nothing)
        #expect(draining.giveUp("no answers", at: Self.at(15)) == .nothing)
        #expect(draining.streamEnded(at: Self.at(16)) == .close(.finished("GOAWAY")))
    }

    @Test("Draining: no new streams, and the end with the last one")
    func drain() {
        var machine = Self.opened()
        machine.answered(provesCredentials: true, submittedAt: Self.start, at: Self.start)
        machine.streamOpened()
        machine.streamOpened()
        #expect(machine.drain("GOAWAY", at: Self.start) == .nothing)
        #expect(machine.room == 0)
        #expect(machine.drain("GOAWAY", at: Self.start) == .nothing)
        #expect(machine.streamEnded(at: Self.start) == .nothing)
        #expect(machine.streamEnded(at: Self.start) == .close(.finished("GOAWAY")))
        #expect(machine.phase == .closed)
        #expect(machine.nextDeadline == nil)
    }

    @Test("A draining connection whose answers never come ends at its deadline")
    func drainDeadline() {
        var machine = Self.opened()
        machine.streamOpened()
        machine.heard(at: Self.at(29))
        #expect(machine.drain("GOAWAY", at: Self.start) == .nothing)
        #expect(machine.nextDeadline == Self.start.advanced(by: TransportDeadlines().close))
        guard case .close(.failed) = machine.deadlineReached(at: Self.start.advanced(by: TransportDeadlines().close))
        else {
            Issue.record("drains forever")
            return
        }
    }

    @Test("A connection is idle from its opening, and again from the end of its last stream")
    func idle() {
        var machine = Self.opened()
        #expect(machine.idleSince == Self.start)
        machine.streamOpened()
        machine.streamOpened()
        #expect(machine.idleSince == nil)
        _ = machine.streamEnded(at: Self.at(3))
        #expect(machine.idleSince == nil)
        _ = machine.streamEnded(at: Self.at(4))
        #expect(machine.idleSince == Self.at(4))
    }

    @Test("Draining without streams ends at once")
    func drainIdle() {
        var machine = Self.opened()
        #expect(machine.drain("GOAWAY", at: Self.start) == .close(.finished("GOAWAY")))
    }

    @Test("A peer that hangs up: in order when nothing was open, a failure otherwise")
    func hangUp() {
        var idle = Self.opened()
        #expect(idle.closedByPeer("gone") == .close(.finished("gone")))
        var busy = Self.opened()
        busy.streamOpened()
        #expect(busy.closedByPeer("gone") == .close(.failed("gone")))
        #expect(busy.closedByPeer("gone") == .nothing)
    }

    @Test("What comes too late changes nothing")
    func late() {
        var machine = Self.opened()
        _ = machine.failed("broken")
        #expect(machine.failed("again") == .nothing)
        #expect(machine.resolved(addresses: 1, at: Self.start) == .nothing)
        #expect(machine.connected(at: Self.start) == .nothing)
        #expect(machine.settings(maximumStreams: 5, at: Self.start) == .nothing)
        #expect(machine.room == 0)
    }

    // MARK: What other services ask for

    @Test("A connection with a lifetime is to be replaced once, and goes on until it is drained")
    func lifetimeEnds() {
        var machine = Self.machine(lifetime: .seconds(3000), opened: 100)
        machine.streamOpened()
        machine.heard(at: Self.at(2999))
        #expect(machine.nextDeadline == Self.at(3000))
        #expect(machine.deadlineReached(at: Self.at(3000)) == .replace)
        #expect(machine.room == 0, "one at a time before the first good answer, and one is open")
        #expect(machine.nextDeadline == Self.at(3029))
        #expect(machine.drain("its lifetime is over", at: Self.at(3000)) == .nothing)
        #expect(machine.streamEnded(at: Self.at(3001)) == .close(.finished("its lifetime is over")))
    }

    @Test("Where only so many pings may follow a request, a silent connection is closed in order")
    func idlePings() {
        var machine = Self.machine(idlePings: 1, opened: 100)
        #expect(machine.deadlineReached(at: Self.at(30)) == .ping(1))
        machine.heard(at: Self.at(31))
        _ = machine.pingAnswered(1, at: Self.at(31))
        // A request allows the next one; while it is open, its own deadline counts.
        machine.streamOpened()
        #expect(machine.deadlineReached(at: Self.at(61)) == .ping(2))
        machine.heard(at: Self.at(62))
        _ = machine.pingAnswered(2, at: Self.at(62))
        #expect(machine.nextDeadline == .distantFuture)
        #expect(machine.streamEnded(at: Self.at(70)) == .nothing)
        #expect(machine.nextDeadline == Self.at(92))
        #expect(machine.deadlineReached(at: Self.at(92)) == .close(.finished("nothing to carry")))
    }

    private static func machine(
        lifetime: Duration? = nil,
        idlePings: Int? = nil,
        opened streams: Int
    ) -> ConnectionMachine {
        let machine = ConnectionMachine(
            deadlines: TransportDeadlines(),
            startsWithOneStream: true,
            lifetime: lifetime,
            maximumIdlePings: idlePings
        )
        return opened(machine, streams: streams)
    }
}
