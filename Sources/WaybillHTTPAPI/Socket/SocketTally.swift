import WaybillThreads

/// How WebSockets have ended: for whoever watches.
final class SocketTally: Sendable {
    enum End: Hashable, CaseIterable {
        /// The client has closed it.
        case client
        /// The connection has ended without a word.
        case lost
        case server(SocketClose.Code)

        static var allCases: [Self] {
            // Nothing ends well by the server's will.
            [.client, .lost] + SocketClose.Code.allCases.filter { $0 != .normal }.map(End.server)
        }

        var name: String {
            switch self {
            case .client: "client"
            case .lost: "lost"
            case .server(let code): "\(code.rawValue)"
            }
        }
    }

    private let counts = Guarded<[End: Int]>([:])

    func count(_ end: End) { counts.withLock { $0[end, default: 0] += 1 } }

    func number(_ end: End) -> Int { counts.withLock { $0[end] ?? 0 } }
}
