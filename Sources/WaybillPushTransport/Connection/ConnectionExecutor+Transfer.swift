import WaybillHTTP2
import WaybillTLS
import WaybillThreads

/// Reading and writing on an established connection.
extension ConnectionExecutor {
    /// How many TLS records are read before other connections have their turn.
    private static var recordsPerTurn: Int { 64 }
    /// As many turns read 16 MiB in records of full size; `tcp_rmem` ends at 6 MiB on Linux.
    private static var turnsOfABuffer: Int { 16 }

    /// Takes everything that has arrived.
    func read() {
        hasMoreInput = false
        for _ in 0..<Self.recordsPerTurn {
            guard let tls, let http else { return }
            do {
                switch try tls.read(into: context.input) {
                case .bytes(let count):
                    machine.heard(at: now)
                    try http.receive(UnsafeRawBufferPointer(rebasing: context.input[..<count]))
                    resetEndedEarly()
                    performPending()
                case .wantsRead:
                    return
                case .wantsWrite:
                    want([.readable, .writable])
                    return
                case .closed:
                    perform(machine.closedByPeer("the server closed the connection"))
                    return
                }
            } catch let error as HTTP2Error {
                pending = .nothing
                perform(machine.failed("HTTP/2: \(error)"))
                return
            } catch {
                broke(error)
                return
            }
        }
        hasMoreInput = true
    }

    /// Reads until nothing more has arrived, or more has come than a socket's buffer can have held.
    func readAll() {
        guard tls != nil, http != nil else { return }
        for _ in 0..<Self.turnsOfABuffer {
            read()
            guard hasMoreInput else { return }
        }
    }

    /// Writes what the session has to say, until there is nothing left or the socket is full.
    func flush() {
        while let tls, let http {
            do {
                if output.isEmpty {
                    try output.refill(from: http)
                    performPending()
                    guard self.http != nil else { return }
                    if output.isEmpty { break }
                }
                switch try output.write(to: tls) {
                case .bytes:
                    break
                case .wantsWrite:
                    want([.readable, .writable])
                    return
                case .wantsRead:
                    return
                case .closed:
                    perform(machine.closedByPeer("the server closed the connection"))
                    return
                }
            } catch let error as HTTP2Error {
                perform(machine.failed("HTTP/2: \(error)"))
                return
            } catch {
                // What the peer said before it hung up may lie in the socket: answers, or a GOAWAY.
                if self.tls != nil { read() }
                broke(error)
                return
            }
        }
        // nghttp2 wants neither when it has ended the session itself, for a peer that breaks the protocol.
        if let http, !http.wantsRead, !http.wantsWrite {
            perform(machine.failed("HTTP/2: the session has ended"))
        } else {
            want(.readable)
        }
    }

    /// The connection ended without the closing alert, as many do; any other error is a failure.
    private func broke(_ error: any Error) {
        if (error as? TLSError)?.code == .closed {
            perform(machine.closedByPeer("\(error)"))
        } else {
            perform(machine.failed("TLS: \(error)"))
        }
    }

    /// Whether there is something to write that no event will ask for.
    var needsFlush: Bool {
        // While the socket is full, the event that says otherwise comes by itself.
        !socket.interest.contains(.writable) && (!output.isEmpty || http?.wantsWrite == true)
    }

    /// Tells the peer that nothing follows, as far as the socket takes it at once.
    func sayGoodbye() {
        // A request that the session still holds is reported as not sent, and would leave with the farewell.
        guard let http, let tls, output.isEmpty, !http.wantsWrite else { return }
        http.submitGoAway(lastStream: 0, errorCode: HTTP2ErrorCode.noError, debugData: [])
        var farewell: [UInt8] = []
        // Best effort: the connection is over whether this reaches the peer or not.
        try? http.drain(into: &farewell, limit: ConnectionOutput.size)
        _ = try? farewell.withUnsafeBytes { bytes throws(TLSError) in try tls.write(bytes) }
    }
}
