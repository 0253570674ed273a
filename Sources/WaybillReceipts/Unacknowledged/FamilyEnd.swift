package import WaybillCore

/// Why nothing more of a family is sent; the raw value is in its document.
package enum FamilyEnd: String, CaseIterable, Sendable {
    /// Somebody has pressed the button.
    case acknowledged
    /// All repeats were sent.
    case limit
    /// Its expiration or greatest age has passed.
    case expired
    /// An operator has cancelled its batch.
    case cancelled
    /// The push service has refused the token.
    case tokenInvalid = "token_invalid"
    /// The push service has refused the notification, or it could not be sent.
    case rejected
    /// What became of the last one is not recorded, long after it was due.
    case lost
}

extension FamilyEnd {
    /// Why nothing more of a family is sent whose last member ended so; `nil` where the next one may be.
    package init?(ofLast outcome: Outcome) {
        switch outcome {
        case .accepted, .unknown, .superseded, .deferred: return nil
        case .rejected, .invalid: self = .rejected
        case .tokenInvalid: self = .tokenInvalid
        case .expired: self = .expired
        case .cancelled: self = .cancelled
        }
    }
}
