import Glibc
import HTTP2
import TLS
import Threads

/// Carries out what a ``ConnectionMachine`` decides: the socket, TLS and HTTP/2 of one connection.
///
/// Belongs to the driver's thread. Nothing here is called back into from C while a session is being torn down: what a
/// callback decides waits in `pending` until the session's call has returned.
final class ConnectionExecutor {
    let id: UInt64
    unowned let lane: LaneExecutor
    let context: DriverContext
    var machine: ConnectionMachine
    var streams = StreamTable()
    /// An action that came up inside a callback of the session.
    var pending = ConnectionMachine.Action.nothing
    /// Responses that ended while our side of the stream is still open.
    var endedEarly = 0
    var http: HTTP2Session?
    /// More input is waiting than was read in one turn; no event will tell of it.
    var hasMoreInput = false

    private var addresses: [SocketAddress] = []
    private(set) var address: String
    var descriptor: Int32 = -1
    var tls: TLSSession?
    var output: [UInt8] = []
    var outputOffset = 0
    var interest: Reactor.Interest = []

    init(lane: LaneExecutor, context: DriverContext) {
        self.lane = lane
        self.context = context
        id = context.nextConnectionID()
        address = lane.configuration.endpoint.authority
        machine = ConnectionMachine(
            deadlines: lane.configuration.deadlines,
            startsWithOneStream: lane.configuration.credentials.tokenSource != nil
        )
    }

    var now: MonotonicTime { context.now.monotonic }

    // MARK: Events

    func start() {
        perform(machine.start(at: now))
    }

    func resolved(_ result: Result<[SocketAddress], ResolutionFailure>) {
        guard machine.phase == .resolving else { return }
        switch result {
        case .success(let found):
            addresses = lane.rotated(found)
            perform(machine.resolved(addresses: found.count, at: now))
        case .failure(let failure):
            perform(machine.failed("the name cannot be resolved: \(failure.text)"))
        }
    }

    /// The descriptor is ready for something.
    func handle(_ event: Reactor.Event) {
        switch machine.phase {
        case .connecting: finishConnecting()
        case .securing: shakeHands()
        case .settling, .open, .draining:
            read()
            if event.isWritable || event.isReadable { flush() }
        case .idle, .resolving, .closed: break
        }
    }

    func checkDeadlines() {
        expireRequests()
        while let deadline = machine.nextDeadline, deadline <= now, machine.phase != .closed {
            perform(machine.deadlineReached(at: now))
        }
    }

    /// The earliest time at which ``checkDeadlines()`` has something to do.
    var nextDeadline: MonotonicTime? {
        var earliest = machine.nextDeadline
        if let oldest = streams.oldest {
            let deadline = streams[oldest].submittedAt.advanced(by: lane.configuration.deadlines.request)
            earliest = min(earliest ?? deadline, deadline)
        }
        return earliest
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
            return .nothing
        case .resolve:
            context.resolve(lane.configuration.endpoint, for: id)
            return .nothing
        case .connect(let position):
            return connect(to: addresses[position])
        case .startTLS:
            return startTLS()
        case .startSession:
            return startSession()
        case .announce:
            lane.connectionOpened(self)
            return .nothing
        case .ping(let value):
            http?.submitPing(value)
            return .nothing
        case .close(let end):
            finish(end)
            return .nothing
        }
    }

    private func connect(to address: SocketAddress) -> ConnectionMachine.Action {
        closeSocket()
        self.address = address.text
        switch address.connect() {
        case .failure(let failure):
            return machine.connectFailed(failure.text, at: now)
        case .success(let socket):
            descriptor = socket.descriptor
            do {
                try context.reactor.register(descriptor, token: id, interest: .writable)
                interest = .writable
            } catch {
                return machine.failed("\(error)")
            }
            return socket.isConnected ? machine.connected(at: now) : .nothing
        }
    }

    private func finishConnecting() {
        if let failure = SocketAddress.connectionError(of: descriptor) {
            perform(machine.connectFailed(failure.text, at: now))
        } else {
            perform(machine.connected(at: now))
        }
    }

    private func startTLS() -> ConnectionMachine.Action {
        do {
            tls = try TLSSession(
                client: lane.tlsContext,
                socket: descriptor,
                hostName: lane.configuration.endpoint.host
            )
        } catch {
            return machine.failed("TLS: \(error)")
        }
        shakeHands()
        return .nothing
    }

    private func shakeHands() {
        guard let tls else { return }
        do {
            switch try tls.handshake() {
            case .wantsRead: want(.readable)
            case .wantsWrite: want(.writable)
            case .done:
                want(.readable)
                perform(machine.secured(applicationProtocol: tls.negotiatedProtocol, at: now))
            }
        } catch {
            perform(machine.failed("TLS: \(error)"))
        }
    }

    private func startSession() -> ConnectionMachine.Action {
        do {
            http = try HTTP2Session(role: .client, options: HTTP2Session.Options(), delegate: self)
        } catch {
            return machine.failed("HTTP/2: \(error)")
        }
        flush()
        return .nothing
    }

    // MARK: The end

    /// No new requests; the open ones are waited for.
    func retire(_ reason: String) {
        postpone(machine.drain(reason))
    }

    /// Remembers an action that must not be carried out inside a callback.
    func postpone(_ action: ConnectionMachine.Action) {
        // A close outranks whatever came before it: the machine decides nothing more.
        if case .close = pending { return }
        if action != .nothing { pending = action }
    }

    /// Ends the connection now; what is open ends as ``StreamEnd/driverClosed``.
    func abandon() {
        finish(.finished("the driver is closed"), streams: .driverClosed)
    }

    private func finish(_ end: ConnectionMachine.End) {
        finish(end, streams: .connectionLost("connection_lost"))
    }

    private func finish(_ end: ConnectionMachine.End, streams streamEnd: StreamEnd) {
        // From the newest to the oldest, because each goes to the front of the queue.
        while let newest = streams.newest {
            let entry = streams.remove(newest)
            if entry.status != 0 {
                lane.answered(entry, on: self, now: now)
            } else {
                lane.unanswered(entry, streamEnd, now: now)
            }
        }
        sayGoodbye()
        http = nil
        tls?.shutdown()
        tls = nil
        closeSocket()
        lane.connectionEnded(self, end)
    }

    private func closeSocket() {
        guard descriptor >= 0 else { return }
        context.reactor.unregister(descriptor)
        close(descriptor)
        descriptor = -1
        interest = []
    }

    func want(_ wanted: Reactor.Interest) {
        guard wanted != interest, descriptor >= 0 else { return }
        do {
            try context.reactor.modify(descriptor, token: id, interest: wanted)
            interest = wanted
        } catch {
            perform(machine.failed("\(error)"))
        }
    }
}
