import WaybillHTTP2
import WaybillTLS
import WaybillThreads

/// Carries out what a ``ConnectionMachine`` decides: the socket, TLS and HTTP/2 of one connection.
///
/// Belongs to the driver's thread. Nothing here is called back into from C while a session is being torn down: what a
/// callback decides waits in `pending` until the session's call has returned. Here are its events, deadlines and end;
/// `+Setup` makes the connection, `+Transfer` reads and writes, `+Session` hears what the server says, `+Requests` keeps
/// the open requests, `+Record` tells.
final class ConnectionExecutor: EventHandler {
    let id: UInt64
    unowned let owner: any ConnectionOwner
    let service: any PushService
    let settings: TransportSettings
    let context: DriverContext
    /// What the connection proves its sender with, for all of its life: a service may bind a connection to one key.
    let credentials: TransportCredentials
    /// Which of the lane's credentials these are, counted.
    let generation: Int
    let answerHeaders: AnswerHeaderNames
    var machine: ConnectionMachine
    var streams = StreamTable()
    /// The header names that the server's HPACK table holds.
    var names = HeaderNames()
    var meter: ConnectionMeter
    /// When the attempt to connect began.
    let began: MonotonicTime

    var dialer = ConnectionDialer()
    /// The address that answered.
    var address: SocketAddress?
    var socket = ConnectionSocket()
    var tls: TLSSession?
    var http: HTTP2Session?
    var output = ConnectionOutput()
    /// More input is waiting than was read in one turn; no event will tell of it.
    var hasMoreInput = false
    /// An action that came up inside a callback of the session.
    var pending = ConnectionMachine.Action.nothing
    /// The lane has made room for the next one, or needs none.
    var isReplaced = false

    init(
        owner: any ConnectionOwner,
        service: any PushService,
        settings: TransportSettings,
        credentials: TransportCredentials,
        generation: Int,
        context: DriverContext
    ) {
        self.owner = owner
        self.service = service
        self.settings = settings
        self.credentials = credentials
        self.generation = generation
        self.context = context
        answerHeaders = service.answerHeaders
        id = context.nextToken()
        began = context.now.monotonic
        meter = ConnectionMeter(id: id, address: settings.endpoint.authority, at: began)
        machine = ConnectionMachine(
            deadlines: settings.deadlines,
            startsWithOneStream: credentials.startsWithOneStream,
            streamCeiling: settings.streamCeiling,
            usesProxy: settings.proxy != nil,
            lifetime: settings.lifetime.map {
                $0.lowerBound + ($0.upperBound - $0.lowerBound) * Double.random(in: 0...1)
            },
            maximumIdlePings: settings.idlePings
        )
    }

    var now: MonotonicTime { context.now.monotonic }

    // MARK: Events

    /// The descriptor, or one of those that race, is ready for something.
    func handle(_ event: Reactor.Event) {
        switch machine.phase {
        case .connecting: finishConnecting()
        case .tunnelling: perform(openTunnel())
        case .securing: perform(shakeHands())
        case .settling, .open, .draining:
            read()
            if event.isWritable || event.isReadable { flush() }
        case .idle, .resolving, .closed: break
        }
    }

    func checkDeadlines() {
        // After a standstill of the process there may be answers in the socket that no event has told of yet: what has
        // arrived comes before what is late.
        if let nextDeadline, nextDeadline <= now { readAll() }
        expireRequests()
        if let shutDeadline, shutDeadline <= now {
            owner.noteLost(self)
            retire("the flow-control window stayed shut")
        }
        while let deadline = machine.nextDeadline, deadline <= now, machine.phase != .closed {
            perform(machine.deadlineReached(at: now))
        }
    }

    /// The earliest time at which ``checkDeadlines()`` has something to do.
    var nextDeadline: MonotonicTime? {
        var earliest = machine.nextDeadline
        if let oldest = streams.oldest {
            let deadline = streams[oldest].submittedAt.advanced(by: settings.deadlines.request)
            earliest = min(earliest ?? deadline, deadline)
        }
        if let shutDeadline { earliest = min(earliest ?? shutDeadline, shutDeadline) }
        return earliest
    }

    /// How many requests may be put on streams now, the next of which has a body of so many bytes.
    ///
    /// None, when that body would wait for the connection's window: it may find room elsewhere. The window of a connection
    /// begins with 65,535 bytes (RFC 9113 §6.9.2), which is more than any body has.
    func room(forBody size: Int) -> Int {
        guard let http, http.roomInConnectionWindow >= size else { return 0 }
        return machine.room
    }

    /// When the connection is given up because its window stays shut while nothing is under way that could open it;
    /// `nil` while that is not so.
    var shutDeadline: MonotonicTime? {
        guard streams.count == 0, machine.phase == .open, let since = meter.windowStalls.since else { return nil }
        return since.advanced(by: settings.deadlines.request)
    }

    // MARK: Actions

    func perform(_ action: ConnectionMachine.Action) {
        var next = action
        while next != .nothing { next = execute(next) }
    }

    /// Carries out what came up inside a callback.
    func performPending() {
        let action = pending
        pending = .nothing
        perform(action)
    }

    private func execute(_ action: ConnectionMachine.Action) -> ConnectionMachine.Action {
        switch action {
        case .nothing:
            break
        case .resolve:
            lookUp()
        case .connect(let position):
            return connect(to: position)
        case .openTunnel:
            return askForTunnel()
        case .startTLS:
            return startTLS()
        case .startSession:
            return startSession()
        case .announce:
            owner.connectionOpened(self)
        case .ping(let value):
            http?.submitPing(value)
        case .replace:
            owner.replacementDue(self)
        case .close(let end):
            finish(end, streams: .connectionLost(end.text))
        }
        return .nothing
    }

    // MARK: The end

    /// No new requests; the open ones are waited for.
    func retire(_ reason: String) {
        postpone(machine.drain(reason, at: now))
    }

    /// The connection answers nothing: no new requests, and the lane may open the next one at once.
    func giveUp() {
        guard machine.phase == .open else { return }
        owner.noteLost(self)
        postpone(machine.giveUp("no request was answered within \(settings.deadlines.request)", at: now))
    }

    /// Since when the connection owes an answer; `nil` when no request is open.
    var owesSince: MonotonicTime? {
        streams.oldest.map { machine.answering.owesSince(streams[$0].submittedAt) }
    }

    /// Remembers an action that must not be carried out inside a callback.
    func postpone(_ action: ConnectionMachine.Action) {
        // A close outranks whatever came before it: the machine decides nothing more.
        if case .close = pending { return }
        if action != .nothing { pending = action }
    }

    /// Ends the connection now; what is open ends as ``StreamEnd/driverClosed``.
    func abandon() {
        guard machine.phase != .closed else { return }
        _ = machine.failed("abandoned")
        finish(.finished("not needed any more: the client has been closed"), streams: .driverClosed)
    }

    private func finish(_ end: ConnectionMachine.End, streams streamEnd: StreamEnd) {
        // From the newest to the oldest, because each goes to the front of the queue.
        while let newest = streams.newest {
            var entry = streams.remove(newest)
            // What is still in the buffer here never leaves it.
            if entry.end > output.written { entry.end = 0 }
            if entry.status != 0 {
                owner.answered(entry, on: self)
            } else {
                owner.unanswered(entry, streamEnd)
            }
        }
        sayGoodbye()
        http = nil
        tls?.shutdown()
        tls = nil
        dialer.closeAll(context.reactor)
        socket.close(context.reactor)
        owner.connectionEnded(self, end)
    }

    func want(_ wanted: Reactor.Interest) {
        do {
            try socket.want(wanted, token: id, context.reactor)
        } catch {
            perform(machine.failed("\(error)"))
        }
    }
}
