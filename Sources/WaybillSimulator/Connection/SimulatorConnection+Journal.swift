import WaybillHTTP2
import WaybillThreads

// What the journal is told.
extension SimulatorConnection {
    /// Enters something that the connection's rule has caused.
    func noteFault(_ name: String) {
        context.journal.count { $0.faults["connection:\(name)", default: 0] += 1 }
    }

    /// Enters what the client has sent besides requests.
    func noteReceived(_ bytes: UnsafeRawBufferPointer) {
        if lastHeard != nil { lastHeard = .now() }
        let (journal, number) = (context.journal, number)
        received?.receive(bytes) { notice in
            switch notice {
            case .ping: journal.change(connection: number) { $0.pingsReceived += 1 }
            case .pingAnswer: journal.change(connection: number) { $0.pingsAnswered += 1 }
            case .goAway(let code): journal.change(connection: number) { $0.goAwaysReceived.append(code) }
            case .headerBlock(let stream, let bytes):
                journal.received(RecordedHeaderBlock(connection: number, stream: stream, bytes: bytes))
            }
        }
    }

    /// Enters the constant answers of the turn.
    func noteTurn() {
        guard acceptedThisTurn > 0 else { return }
        context.journal.accepted(acceptedThisTurn, connection: number)
        acceptedThisTurn = 0
    }

    /// Enters what HTTP/2 itself refused.
    func noteSent(_ notice: SentFrames.Notice) {
        switch notice {
        case .reset(let stream, let code):
            if ownResets.remove(stream) != nil { return }
            if code == HTTP2ErrorCode.refusedStream.rawValue {
                context.journal.count { $0.streamLimitViolations += 1 }
            } else if code != HTTP2ErrorCode.noError.rawValue {
                context.journal.count { $0.malformedRequests += 1 }
            }
        case .goAway(_, isStreamLimit: true):
            context.journal.count { $0.streamLimitViolations += 1 }
        case .goAway(let code, isStreamLimit: false):
            if ownGoAways > 0 {
                ownGoAways -= 1
            } else if code != HTTP2ErrorCode.noError.rawValue {
                noteProtocolError()
            }
        }
    }

    /// Enters, once, that the client broke HTTP/2.
    func noteProtocolError() {
        guard !hasBrokenProtocol else { return }
        hasBrokenProtocol = true
        context.journal.count { $0.protocolErrors += 1 }
    }
}
