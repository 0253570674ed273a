import WaybillEncoding
import WaybillTLS

/// What a service shows when it notifies: 64 hexadecimal digits.
///
/// No way of printing it shows them. It is derived from the service and the moment at which it was made (HMAC-SHA256), so that its owner can read it again although
/// the store holds nothing but its digest. A new one is one of a later moment.
package struct ServiceKey: Sendable {
    private let text: String

    /// Derives a key.
    init(service: String, createdAt: Int64, secret: [UInt8]) {
        let code = HMACSHA256.authenticate(Array("\(service)\(createdAt)".utf8), key: secret)
        text = Hexadecimal.text(of: code.withUnsafeBytes(Array.init))
    }

    /// What somebody has shown.
    ///
    /// - Returns: `nil` for what cannot be a key.
    package init?(shown text: String) {
        guard text.utf8.count == 64, Hexadecimal.bytes(of: text) != nil else { return nil }
        self.text = text.lowercased()
    }

    var digest: SecretDigest { SecretDigest(of: text) }

    /// What its use is counted under: says nothing of it.
    package var limitName: String { String(digest.hexadecimal.prefix(16)) }

    /// For whoever may read it.
    package func reveal() -> String { text }
}

extension ServiceKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "a service's key" }
    package var debugDescription: String { description }
    /// Keeps `dump` and the tests' own printing from looking inside.
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// What services' keys are derived from: the current secret, and the one before it while it is known.
///
/// A key whose secret has gone is dead, and can no longer be read: its owner makes a new one.
package struct ServiceKeySecrets: Sendable {
    /// One secret.
    struct Root: Sendable {
        /// Says which it is, and nothing of it.
        let id: String
        let secret: [UInt8]
    }

    let current: Root
    let former: Root?

    init(current: Root, former: Root?) {
        self.current = current
        self.former = former
    }

    /// Whether there is a secret of this name.
    func knows(_ root: String) -> Bool { root == current.id || root == former?.id }

    /// The key of a service, if the secret is known by that name.
    func key(service: String, createdAt: Int64, root: String) -> ServiceKey? {
        let found = root == current.id ? current : root == former?.id ? former : nil
        return found.map { ServiceKey(service: service, createdAt: createdAt, secret: $0.secret) }
    }
}

extension ServiceKeySecrets: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "what services' keys are derived from" }
    package var debugDescription: String { description }
    /// Keeps `dump` and the tests' own printing from looking inside.
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
