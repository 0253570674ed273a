/// What somebody is to a service; each role may do all that the one before it may, but for leaving.
package enum ServiceRole: String, CaseIterable, Comparable, Sendable {
    /// Is told, at levels of their own.
    case member
    /// Changes name, keys and members.
    case manager
    /// May give it away, or end it.
    case owner

    package static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }

    private var rank: Int {
        switch self {
        case .member: 0
        case .manager: 1
        case .owner: 2
        }
    }
}

/// What somebody wants to do with a service.
package enum ServiceAction: String, CaseIterable, Sendable {
    /// Its name, its image, and what it has said.
    case read
    /// Of which levels they are told themselves.
    case changeOwnLevels
    /// Being told no more.
    case leave
    case readKeys
    case changeKeys
    /// Where its events are posted.
    case readWebhooks
    case changeWebhooks
    /// Its name and its image.
    case changeSettings
    /// Who belongs to it, and as what.
    case readMembers
    /// The same to change, but for owners.
    case manageMembers
    /// Who owns it beside others.
    case manageOwners
    /// What the thesis' API does with it, each of whose answers has the key that can be read again.
    case readDerivedKey
    /// Whom it asks to belong to it.
    case invite
    case transfer
    case delete
}

/// Whether somebody may do something with a service.
package enum ServicePermission: Hashable, Sendable {
    case granted
    /// They do not belong to it, so that they do not learn whether there is one.
    case unknown
    /// They belong to it, and others may.
    case refused

    /// Decides: the one place that does.
    ///
    /// - Parameters:
    ///   - action: what is wanted.
    ///   - role: what they are to the service; `nil` for nobody and for strangers.
    /// - Returns: the answer.
    package static func of(_ action: ServiceAction, role: ServiceRole?) -> Self {
        guard let role else { return .unknown }
        switch action {
        // The last owner is kept where members are changed: a service without one would be nobody's to end.
        case .read, .changeOwnLevels, .leave: return .granted
        case .readKeys, .changeKeys, .readWebhooks, .changeWebhooks, .changeSettings, .readMembers, .manageMembers,
            .invite:
            return role >= .manager ? .granted : .refused
        case .manageOwners, .readDerivedKey, .transfer, .delete: return role == .owner ? .granted : .refused
        }
    }
}
