import WaybillThreads

/// Which of a dispatcher's connections tells of an outage of the broker: both notice it, and the log has it once.
final class OutageTeller: Sendable {
    enum Connection: Sendable {
        case consuming, publishing
    }

    /// Who has noticed the outage that lasts; `nil` while there is none, as far as anybody has told.
    private let teller = Guarded<Connection?>(nil)

    /// Whether a connection that is lost, or does not come about, is the one that tells of it.
    func tells(_ connection: Connection) -> Bool {
        teller.withLock { teller in
            if teller == nil { teller = connection }
            return teller == connection
        }
    }

    /// A connection stands: if the other one is still lost, that is told next.
    func stands(_ connection: Connection) {
        teller.withLock { if $0 == connection { $0 = nil } }
    }
}
