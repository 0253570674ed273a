import WaybillThreads

/// Why the lanes' last attempts to connect have failed, until one succeeds.
///
/// One lock for each attempt. *Thread:* any.
final class ConnectionFailures: Sendable {
    private let reasons = Guarded<[String: String]>([:])

    func failed(lane: String, _ reason: String) {
        reasons.withLock { $0[lane] = reason }
    }

    func connected(lane: String) {
        reasons.withLock { _ = $0.removeValue(forKey: lane) }
    }

    /// - Returns: `nil` where the last attempt has succeeded, or none was made.
    func reason(lane: String) -> String? { reasons.withLock { $0[lane] } }
}
