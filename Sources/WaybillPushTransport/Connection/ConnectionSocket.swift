import Glibc
import WaybillThreads

/// A connection's one socket, and what its driver waits for on it.
///
/// Belongs to the driver's thread.
struct ConnectionSocket {
    private(set) var descriptor: Int32 = -1
    private(set) var interest: Reactor.Interest = []

    /// Takes over a socket that is registered already.
    mutating func adopt(_ socket: Int32, interest registered: Reactor.Interest) {
        descriptor = socket
        interest = registered
    }

    /// Changes what is waited for.
    mutating func want(_ wanted: Reactor.Interest, token: UInt64, _ reactor: Reactor) throws(ThreadError) {
        guard wanted != interest, descriptor >= 0 else { return }
        try reactor.modify(descriptor, token: token, interest: wanted)
        interest = wanted
    }

    mutating func close(_ reactor: Reactor) {
        guard descriptor >= 0 else { return }
        reactor.unregister(descriptor)
        Glibc.close(descriptor)
        descriptor = -1
        interest = []
    }
}
