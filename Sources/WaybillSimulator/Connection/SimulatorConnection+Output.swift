import Glibc
import WaybillHTTP2
import WaybillTLS
import WaybillThreads

// From frames to the socket, and to the end of the connection.
extension SimulatorConnection {
    /// How long a client may take to hang up after the simulator's last word.
    private static let lingerTime = Duration.seconds(1)

    /// Writes what is ready.
    ///
    /// Also called after a delayed decision.
    func flush() {
        if http1 != nil { return flushHTTP1() }
        guard let session, !isFinished, !isLingering else { return }
        do {
            repeat {
                switch try output.write(to: tls) {
                case .written: waitsForRoom = false
                case .waitsForRoom:
                    waitsForRoom = true
                    return
                case .closed: return abort()
                }
                let holdsFrames = try output.take(from: session) { observer.sent($0) }
                if holdsFrames, case .held(let time) = script.rule?.windows { schedule(.windows, after: time) }
            } while !output.isEmpty || takeDeferred()
            guard !isFinished else { return }
            let isOver = !session.wantsRead && !session.wantsWrite && !output.isMute && !staysOpen && nextGoAway == nil
            if closesAfterFlush || isOver { beginLingering(saysGoodbye: true) }
        } catch {
            abort()
        }
    }

    /// Does what had to wait until everything was written.
    ///
    /// - Returns: whether there was anything, so that there may be more to write.
    private func takeDeferred() -> Bool {
        guard !deferred.isEmpty else { return false }
        let due = deferred
        deferred = []
        for action in due {
            switch action {
            case .reset(let stream, let code): reset(stream, code)
            case .mute: output.isMute = true
            case .close(byReset: false): closesAfterFlush = true
            case .close(byReset: true):
                // Closing a socket that does not linger sends RST in place of FIN.
                var option = linger_option(l_onoff: 1, l_linger: 0)
                setsockopt(socket, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger_option>.size))
                abort()
                return false
            }
        }
        return true
    }

    /// Ends the connection from this side.
    ///
    /// The socket stays open until the client has hung up too: closing it over unread requests would send a TCP reset,
    /// which may overtake the last answers.
    ///
    /// - Parameter saysGoodbye: whether TLS is closed in order.
    func beginLingering(saysGoodbye: Bool) {
        if saysGoodbye { tls.shutdown() }
        shutdown(socket, Int32(SHUT_WR))
        isLingering = true
        schedule(.endOfLingering, after: Self.lingerTime)
    }

    /// Reads what nobody wants to know, until the client hangs up.
    func linger() {
        for _ in 0..<Self.readsPerTurn {
            let count = recv(socket, context.readBuffer.baseAddress, context.readBuffer.count, 0)
            if count > 0 { continue }
            if count == 0 || (errno != EAGAIN && errno != EINTR) { abort() }
            return
        }
    }
}

/// C's `struct linger`, whose name Swift gives to the method above.
private typealias linger_option = Glibc.linger
