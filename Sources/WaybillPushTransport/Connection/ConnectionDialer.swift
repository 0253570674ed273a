import Glibc
import WaybillThreads

/// The sockets of a connection that is being made: addresses that race, then a proxy's tunnel.
///
/// Belongs to the driver's thread. Which step comes when is the ``ConnectionMachine``'s to say.
struct ConnectionDialer {
    /// What became of an address that was tried.
    enum Change {
        /// It answered, on a socket that is the caller's from here on; all others are given up.
        case connected(SocketAddress, socket: Int32)
        case failed(address: Int, SocketFailure)
    }

    /// What is tried, in order.
    var addresses: [SocketAddress] = []
    private var race = SocketRace()
    private var tunnel: TunnelOpening?

    /// Begins to connect to one more address; its socket is writable when the attempt has ended.
    ///
    /// - Parameters:
    ///   - position: the address's.
    ///   - source: the local address to connect from.
    ///   - token: of the socket's events.
    ///   - reactor: waits for them.
    /// - Returns: why it cannot even begin; `nil` when it has.
    /// - Throws: `ThreadError` when the reactor does not take the socket.
    mutating func connect(
        to position: Int,
        from source: SocketAddress?,
        token: UInt64,
        _ reactor: Reactor
    ) throws(ThreadError) -> SocketFailure? {
        switch addresses[position].connect(from: source) {
        case .failure(let failure):
            return failure
        case .success(let socket):
            do {
                try reactor.register(socket, token: token, interest: .writable)
            } catch {
                close(socket)
                throw error
            }
            race.add(socket, address: position)
            return nil
        }
    }

    /// The next address that has answered or failed.
    mutating func nextChange(_ reactor: Reactor) -> Change? {
        switch race.nextChange(reactor) {
        case .failed(let position, let failure):
            return .failed(address: position, failure)
        case .connected(let position, let socket):
            race.closeAll(reactor)
            return .connected(addresses[position], socket: socket)
        case nil:
            return nil
        }
    }

    /// The proxy is asked for a tunnel by ``advanceTunnel(on:buffer:)``.
    mutating func beginTunnel(to endpoint: Endpoint, through proxy: ProxySettings) {
        tunnel = TunnelOpening(ProxyTunnel(to: endpoint, through: proxy))
    }

    /// Goes on with the request to the proxy, and its answer, as far as the socket allows.
    mutating func advanceTunnel(on socket: Int32, buffer: UnsafeMutableRawBufferPointer) -> TunnelOpening.Step {
        tunnel?.advance(on: socket, buffer: buffer) ?? .open
    }

    /// Gives up every socket that is under way.
    mutating func closeAll(_ reactor: Reactor) {
        race.closeAll(reactor)
    }
}
