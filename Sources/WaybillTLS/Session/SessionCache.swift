import WaybillThreads

/// The newest resumable session with each host, for the connections of one client context.
///
/// It never leaves the context: what it holds was verified with that context's authorities and pins, for that host.
/// Safe to share between threads.
final class SessionCache: Sendable {
    private let sessions = Guarded<[String: ResumableSession]>([:])
    private let capacity: Int

    /// Creates an empty cache.
    ///
    /// - Parameter capacity: most hosts at a time; beyond it any one is forgotten, which costs a full handshake.
    init(capacity: Int = 64) {
        self.capacity = capacity
    }

    /// The session to offer to a host.
    ///
    /// - Parameters:
    ///   - host: its name.
    ///   - now: seconds since 1970.
    /// - Returns: `nil` if there is none that is still good.
    func session(with host: String, at now: Int) -> ResumableSession? {
        let key = Self.key(host)
        return sessions.withLock { sessions in
            guard let session = sessions[key] else { return nil }
            if session.isFresh(at: now) { return session }
            sessions[key] = nil
            return nil
        }
    }

    /// Keeps a session in place of an earlier one with the same host.
    func remember(_ session: ResumableSession, with host: String) {
        let key = Self.key(host)
        sessions.withLock { sessions in
            if sessions[key] == nil, sessions.count >= capacity, let other = sessions.keys.first {
                sessions[other] = nil
            }
            sessions[key] = session
        }
    }

    /// Forgets a session, if it is still the newest with its host.
    func forget(_ session: ResumableSession, with host: String) {
        let key = Self.key(host)
        sessions.withLock { sessions in
            if sessions[key] === session { sessions[key] = nil }
        }
    }

    /// Names of hosts do not tell cases apart (RFC 4343).
    private static func key(_ host: String) -> String { host.lowercased() }
}
