import Glibc
import WaybillThreads

/// The sockets of a connection that tries several addresses at once; the first that connects is taken out.
///
/// Belongs to the driver's thread.
struct SocketRace {
    /// What became of the sockets under way.
    enum Change {
        case connected(address: Int, descriptor: Int32)
        case failed(address: Int, SocketFailure)
    }

    private struct Attempt {
        let address: Int
        let descriptor: Int32
    }

    private var attempts: [Attempt] = []

    /// Adds a socket that is connecting.
    mutating func add(_ descriptor: Int32, address: Int) {
        attempts.append(Attempt(address: address, descriptor: descriptor))
    }

    /// The next socket that has connected or failed, which is the caller's from here on; a failed one is closed.
    mutating func nextChange(_ reactor: Reactor) -> Change? {
        for (position, attempt) in attempts.enumerated() {
            var polled = pollfd(fd: attempt.descriptor, events: Int16(POLLOUT), revents: 0)
            guard poll(&polled, 1, 0) > 0 else { continue }
            attempts.remove(at: position)
            guard let failure = SocketAddress.connectionError(of: attempt.descriptor) else {
                return .connected(address: attempt.address, descriptor: attempt.descriptor)
            }
            Self.end(attempt, reactor)
            return .failed(address: attempt.address, failure)
        }
        return nil
    }

    /// Closes every socket that is still here.
    mutating func closeAll(_ reactor: Reactor) {
        for attempt in attempts { Self.end(attempt, reactor) }
        attempts = []
    }

    private static func end(_ attempt: Attempt, _ reactor: Reactor) {
        reactor.unregister(attempt.descriptor)
        close(attempt.descriptor)
    }
}
