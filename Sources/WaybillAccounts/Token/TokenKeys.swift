import WaybillEncoding
import WaybillTLS

/// The keys that tokens are signed with, of each root secret one for each ``TokenKind``.
///
/// What services' keys, families of refresh tokens, codes of places and pseudonyms are derived from are others.
///
/// Two roots hold while one takes the other's place: the current one signs, and what either has signed is good. No way of printing
/// shows one.
package struct TokenKeys: Sendable {
    /// Of a root secret.
    package static let minimumBytes = 32

    private struct Root: Sendable {
        /// The header's `kid`: says which root it was, and nothing of it.
        let id: String
        let keys: [TokenKind: [UInt8]]
        let serviceKeys: [UInt8]
        let families: [UInt8]
        let places: [UInt8]
        let pseudonyms: [UInt8]

        init(_ secret: [UInt8]) {
            func derived(_ purpose: String, count: Int = 32) -> [UInt8] {
                HKDFSHA256.key(secret: secret, purpose: Array("waybill/\(purpose)".utf8), count: count)
            }
            id = Hexadecimal.text(of: derived("kid", count: 4))
            keys = Dictionary(uniqueKeysWithValues: TokenKind.allCases.map { ($0, derived($0.rawValue)) })
            serviceKeys = derived("service-keys")
            families = derived("refresh-families")
            places = derived("password-places")
            pseudonyms = derived("pseudonyms")
        }
    }

    private let current: Root
    private let former: Root?

    /// Derives them; `nil` where a secret is shorter than ``minimumBytes``.
    ///
    /// - Parameters:
    ///   - root: the secret.
    ///   - former: the one before it.
    package init?(root: [UInt8], former: [UInt8]? = nil) {
        guard root.count >= Self.minimumBytes, former.map({ $0.count >= Self.minimumBytes }) ?? true else {
            return nil
        }
        current = Root(root)
        self.former = former.map(Root.init)
    }

    /// What services' keys are derived from.
    package var serviceKeys: ServiceKeySecrets {
        ServiceKeySecrets(
            current: ServiceKeySecrets.Root(id: current.id, secret: current.serviceKeys),
            former: former.map { ServiceKeySecrets.Root(id: $0.id, secret: $0.serviceKeys) }
        )
    }

    /// What refresh tokens of families are derived from: the current one first.
    var families: [[UInt8]] { [current.families] + (former.map { [$0.families] } ?? []) }

    /// What stands for places that passwords are tried from is derived from it.
    var places: [UInt8] { current.places }

    /// What stands for addresses in the names of mails is derived from it.
    var pseudonyms: [UInt8] { current.pseudonyms }

    /// The key that signs, and its name.
    func signing(_ kind: TokenKind) -> (id: String, key: [UInt8]) {
        (current.id, current.keys[kind] ?? [])
    }

    /// The key of a name; `nil` for a name that nobody knows.
    func verifying(_ kind: TokenKind, id: String) -> [UInt8]? {
        if id == current.id { return current.keys[kind] }
        return id == former?.id ? former?.keys[kind] : nil
    }
}

extension TokenKeys: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "the keys of tokens" }
    package var debugDescription: String { description }
    /// Keeps `dump` and the tests' own printing from looking inside.
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
