import Glibc
import WaybillThreads

/// What another thread may ask of a running server.
enum ServerCommand: Sendable {
    /// Close everything and return.
    case stop
    /// Say GOAWAY on every connection.
    case goAway(SimulatorGoAway)
    /// Announce a stream limit on every connection, and keep to it.
    case limitStreams(Int)
    /// Close every connection without a word.
    case closeConnections
}

/// The server's one thread: accepts connections and gives each its turns.
///
/// Waits in epoll until a socket is ready, a command comes, a delayed decision is due or the record file wants writing.
final class ServerLoop {
    private let listener: ListeningSocket
    private let commands: Mailbox<ServerCommand>
    private let context: ServerContext
    private let reactor: Reactor
    private var connections: [UInt64: SimulatorConnection] = [:]
    /// Connections that ended a turn with more to read; epoll may not report those again.
    private var unfinished: [UInt64] = []
    private var nextID = firstConnection

    private static let listenerToken: UInt64 = 0
    private static let commandsToken: UInt64 = 1
    private static let firstConnection: UInt64 = 2

    /// The port that it listens on.
    var port: UInt16 { listener.port }

    init(
        configuration: SimulatorConfiguration,
        rules: SharedRules,
        channels: SimulatorChannels,
        fcm: FCMService?,
        commands: Mailbox<ServerCommand>,
        journal: SimulatorJournal
    ) throws(SimulatorError) {
        context = try ServerContext(
            configuration: configuration,
            rules: rules,
            channels: channels,
            fcm: fcm,
            journal: journal
        )
        listener = try ListeningSocket(host: configuration.host, port: configuration.port)
        self.commands = commands
        // What was asked of an earlier run is no business of this one.
        var stale: [ServerCommand] = []
        commands.drain(into: &stale)
        do {
            reactor = try Reactor()
            try reactor.register(listener.descriptor, token: Self.listenerToken, interest: .readable)
            try reactor.register(commands.descriptor, token: Self.commandsToken, interest: .readable)
        } catch {
            throw SimulatorError("epoll: \(error)")
        }
    }

    /// Serves until it is told to stop.
    func run() {
        var events: [Reactor.Event] = []
        var orders: [ServerCommand] = []
        serving: while true {
            do {
                try reactor.wait(until: nextDeadline, into: &events)
            } catch {
                // Cannot happen while the descriptor is open; without epoll there is nothing left to do.
                break
            }
            let turns = unfinished
            unfinished.removeAll(keepingCapacity: true)
            for id in turns { giveTurn(id) }
            for event in events {
                switch event.token {
                case Self.listenerToken: acceptConnections()
                case Self.commandsToken:
                    commands.drain(into: &orders)
                    for order in orders where !obey(order) { break serving }
                    orders.removeAll(keepingCapacity: true)
                default: giveTurn(event.token)
                }
            }
            meetDeadlines()
            if let deadline = context.handler.deadline, deadline <= MonotonicTime.now() { context.handler.flush() }
        }
        for connection in connections.values { connection.tearDown() }
        connections.removeAll()
        context.handler.flush()
    }

    private var nextDeadline: MonotonicTime? {
        if !unfinished.isEmpty { return .now() }
        guard let record = context.handler.deadline else { return context.deadlines.next }
        return context.deadlines.next.map { min($0, record) } ?? record
    }

    private func acceptConnections() {
        while let socket = listener.accept() {
            context.journal.count { $0.acceptedConnections += 1 }
            let rule = context.configuration.answersConstantly ? nil : context.rules.ruleForConnection()
            if rule?.refuses == true {
                context.journal.count { $0.faults["connection:refuse", default: 0] += 1 }
                close(socket)
                continue
            }
            do {
                let connection = try SimulatorConnection(id: nextID, socket: socket, context: context, rule: rule)
                try reactor.register(socket, token: nextID, interest: .readable)
                connections[nextID] = connection
                nextID += 1
            } catch {
                close(socket)
            }
        }
    }

    private func giveTurn(_ id: UInt64) {
        guard let connection = connections[id] else { return }
        let waitedForRoom = connection.waitsForRoom
        connection.takeTurn()
        settle(connection, waitedForRoom: waitedForRoom)
        if connection.hasMoreToRead, !connection.isFinished { unfinished.append(id) }
    }

    /// Brings reactor and table in line with what a turn has left behind.
    private func settle(_ connection: SimulatorConnection, waitedForRoom: Bool) {
        if !connection.isFinished, connection.waitsForRoom != waitedForRoom {
            let interest: Reactor.Interest = connection.waitsForRoom ? [.readable, .writable] : .readable
            do {
                try reactor.modify(connection.socket, token: connection.id, interest: interest)
            } catch {
                connection.abort()
            }
        }
        guard connection.isFinished else { return }
        reactor.unregister(connection.socket)
        connections[connection.id] = nil
        connection.tearDown()
    }

    private func meetDeadlines() {
        guard let next = context.deadlines.next else { return }
        let now = MonotonicTime.now()
        guard next <= now else { return }
        var touched: Set<UInt64> = []
        while let due = context.deadlines.popDue(by: now) {
            connections[due.connection]?.deadlineHasCome(due.kind)
            touched.insert(due.connection)
        }
        for id in touched { flush(id) }
    }

    private func flush(_ id: UInt64) {
        guard let connection = connections[id] else { return }
        let waitedForRoom = connection.waitsForRoom
        connection.flush()
        settle(connection, waitedForRoom: waitedForRoom)
    }

    /// - Returns: whether to go on.
    private func obey(_ command: ServerCommand) -> Bool {
        if case .stop = command { return false }
        for connection in connections.values {
            switch command {
            case .stop: break
            case .goAway(let goAway): connection.sayGoAway(goAway)
            case .limitStreams(let streams): connection.announce(connection.limit.pin(to: streams))
            case .closeConnections: connection.abort()
            }
        }
        for id in Array(connections.keys) { flush(id) }
        return true
    }
}
