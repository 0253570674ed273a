import HTTPTypes
import WaybillAccounts
import WaybillDeliveryLog

/// Who asks, and what they may.
struct Caller: Sendable {
    let key: AccessKey
    /// By which it is let in, where no key was shown.
    let session: Session?
    /// Of what it has shown.
    let secret: SecretDigest
    let allowance: TokenBuckets.Allowance

    /// Refuses what the key does not allow.
    ///
    /// - Throws: ``Problem`` 403 with what it would take.
    func require(_ action: Action) throws(Problem) {
        switch permission(action) {
        case .granted: return
        case .needs(let role): throw Problem(.forbidden, "this takes a key with the role \(role.rawValue)")
        case .needsAllClients:
            throw Problem(.forbidden, "this is about the whole installation, and takes a key for all clients")
        }
    }

    func may(_ action: Action) -> Bool { permission(action) == .granted }

    /// Of what advice names, that which the key may ask for.
    var adviceAccess: AdviceRoute.Access {
        var access: AdviceRoute.Access = []
        if may(.readStatus) { access.insert(.installation) }
        if may(.orderLanes) { access.insert(.lanes) }
        if may(.cancelBatches) { access.insert(.batches) }
        return access
    }

    private func permission(_ action: Action) -> Permission {
        Permission.of(action, role: key.role, clients: key.clients)
    }

    /// Whose records are there for it.
    var scope: DeliveryScope {
        switch key.clients {
        case .all: .all
        case .only(let names): .clients(names)
        }
    }
}
