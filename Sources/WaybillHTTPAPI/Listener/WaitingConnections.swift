import NIOCore
import WaybillThreads

/// The connections on which nothing is being answered: those whose request has not come yet, or not whole, and those whose
/// answer is out.
///
/// Where there are too many of them, the one that has waited longest is closed. So clients that send or read a byte now and
/// then, from as many connections as they like, keep nobody out who has something to ask.
final class WaitingConnections: Sendable {
    private struct Connection {
        let channel: any Channel
        /// Its place among those that wait; `nil` while it is served.
        var place: UInt64?
        /// How many requests it has had.
        var requests = 0
    }

    private struct State {
        var connections: [ObjectIdentifier: Connection] = [:]
        var nextPlace: UInt64 = 0
        var waiting = 0

        /// Puts a connection at the end of those that wait.
        ///
        /// - Returns: the one that has to go for it.
        mutating func wait(_ id: ObjectIdentifier, most: Int) -> (any Channel)? {
            guard connections[id] != nil else { return nil }
            if connections[id]?.place == nil { waiting += 1 }
            connections[id]?.place = nextPlace
            nextPlace += 1
            guard waiting > most else { return nil }
            let first = connections.min { ($0.value.place ?? .max) < ($1.value.place ?? .max) }
            guard let first else { return nil }
            remove(first.key)
            return first.value.channel
        }

        mutating func remove(_ id: ObjectIdentifier) {
            if connections.removeValue(forKey: id)?.place != nil { waiting -= 1 }
        }
    }

    private let state = Guarded(State())
    private let most: Int
    private let leisure: TimeAmount
    private let onCrowded: @Sendable () -> Void

    /// - Parameters:
    ///   - most: how many may wait.
    ///   - leisure: how long an answer may be on its way before its connection is one that waits.
    ///   - onCrowded: hears of each that has to go for another.
    init(most: Int, leisure: TimeAmount = .seconds(2), onCrowded: @escaping @Sendable () -> Void = {}) {
        self.most = most
        self.leisure = leisure
        self.onCrowded = onCrowded
    }

    /// Whether more are open than may wait.
    var isCrowded: Bool { state.withLock { $0.connections.count > most } }

    func opened(_ channel: any Channel) {
        let id = ObjectIdentifier(channel)
        let last = state.withLock { state -> (any Channel)? in
            guard state.connections[id] == nil else { return nil }
            state.connections[id] = Connection(channel: channel)
            return state.wait(id, most: most)
        }
        makeRoom(last)
    }

    func closed(_ channel: any Channel) {
        state.withLock { $0.remove(ObjectIdentifier(channel)) }
    }

    /// Something other than HTTP is spoken from now on, and nobody is known to listen.
    func waits(_ channel: any Channel) {
        makeRoom(state.withLock { $0.wait(ObjectIdentifier(channel), most: most) })
    }

    /// A whole request has come.
    func served(_ channel: any Channel) {
        let id = ObjectIdentifier(channel)
        state.withLock { state in
            guard let connection = state.connections[id] else { return }
            if connection.place != nil { state.waiting -= 1 }
            state.connections[id]?.place = nil
            state.connections[id]?.requests += 1
        }
    }

    /// An answer has been handed over: who takes it waits again in a moment, unless the next request has come by then.
    func answered(_ channel: any Channel) {
        let id = ObjectIdentifier(channel)
        guard let requests = state.withLock({ $0.connections[id]?.requests }) else { return }
        channel.eventLoop.scheduleTask(in: leisure) { [self] in
            let last = state.withLock { state -> (any Channel)? in
                state.connections[id]?.requests == requests ? state.wait(id, most: most) : nil
            }
            makeRoom(last)
        }
    }

    private func makeRoom(_ last: (any Channel)?) {
        guard let last else { return }
        onCrowded()
        last.close(promise: nil)
    }
}

/// Tells of a connection that opens and closes.
final class ConnectionNote: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = Any

    private let waiting: WaitingConnections

    init(_ waiting: WaitingConnections) {
        self.waiting = waiting
    }

    func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { waiting.opened(context.channel) }
    }

    func channelActive(context: ChannelHandlerContext) {
        waiting.opened(context.channel)
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        waiting.closed(context.channel)
        context.fireChannelInactive()
    }
}
