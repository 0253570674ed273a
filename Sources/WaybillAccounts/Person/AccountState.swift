/// Whether an account's holder is let in.
package enum AccountState: String, CaseIterable, Sendable {
    /// Nobody has shown that the address is theirs.
    case unconfirmed
    case active
    /// An operator has suspended it, confirmed or not.
    case suspended
}

extension Account {
    package var state: AccountState {
        if suspendedAt != nil { return .suspended }
        return confirmedAt == nil ? .unconfirmed : .active
    }
}
