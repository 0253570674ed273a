internal import Glibc
import Synchronization

/// Ends a connection's calls from outside: rabbitmq-c has no limit of its own for a publication, and a broker under an alarm
/// reads nothing.
///
/// *Thread:* any.
package final class AMQPInterrupt: Sendable {
    private struct State {
        var socket: Int32?
        var isCut = false
    }

    private let state = Mutex(State())

    package init() {}

    /// Makes the call that is under way fail, and every one that follows, also on a connection that is opened later.
    package func cut() {
        state.withLock { state in
            state.isCut = true
            if let socket = state.socket { shutdown(socket, Int32(SHUT_RDWR)) }
        }
    }

    /// A connection has opened its socket.
    func attach(_ socket: Int32) {
        state.withLock { state in
            state.socket = socket
            if state.isCut { shutdown(socket, Int32(SHUT_RDWR)) }
        }
    }

    /// The socket is about to be closed; its number may soon be another one's.
    func detach() {
        state.withLock { $0.socket = nil }
    }
}
