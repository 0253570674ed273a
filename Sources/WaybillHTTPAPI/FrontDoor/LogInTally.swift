import WaybillAccounts
import WaybillThreads

/// How passwords that people have shown were taken: for whoever watches, since a wrong one is status 200 of the thesis' API, and
/// one answer with others of ours.
final class LogInTally: Sendable {
    enum Outcome: String, CaseIterable {
        case granted
        case unknownName = "unknown_name"
        case wrongPassword = "wrong_password"
        case notConfirmed = "not_confirmed"
        case suspended
        /// The account looked at no password, after too many wrong ones.
        case delayed
        /// The store or the hashing failed.
        case failed
    }

    private let counts = Guarded<[Outcome: Int]>([:])

    /// Counts a password.
    ///
    /// - Returns: as what.
    func count<Value>(_ result: Result<Value, LogInProblem>) -> Outcome {
        let outcome: Outcome =
            switch result {
            case .success: .granted
            case .failure(.unknownName): .unknownName
            case .failure(.wrongPassword): .wrongPassword
            case .failure(.notConfirmed): .notConfirmed
            case .failure(.suspended): .suspended
            case .failure(.delayed): .delayed
            case .failure(.fault): .failed
            }
        counts.withLock { $0[outcome, default: 0] += 1 }
        return outcome
    }

    func number(_ outcome: Outcome) -> Int { counts.withLock { $0[outcome] ?? 0 } }
}
