import WaybillEncoding
import WaybillTLS

/// What an endpoint's events are signed with (Standard Webhooks 1.0.0): `whsec_` and 24 to 64 random bytes in base64.
package struct WebhookSecret: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    private static let prefix = "whsec_"

    private let key: [UInt8]

    /// A new secret, from the system's generator for secrets.
    package static func generate() -> WebhookSecret {
        WebhookSecret(key: RandomBytes.take(32))
    }

    /// Reads a secret; `nil` for what is none.
    package init?(_ text: String) {
        guard text.hasPrefix(Self.prefix), let key = Base64.decode(text.dropFirst(Self.prefix.count)),
            (24...64).contains(key.count)
        else { return nil }
        self.key = key
    }

    private init(key: [UInt8]) {
        self.key = key
    }

    /// The secret itself, for whoever is to verify with it.
    ///
    /// It is shown once, and stored where those alone may read it who sign.
    package func reveal() -> String { Self.prefix + Base64.encode(key) }

    package var description: String { "a secret" }
    package var debugDescription: String { description }

    /// The signature of one attempt, as it stands in the header.
    ///
    /// - Parameters:
    ///   - id: the event's; without a dot.
    ///   - timestamp: of the attempt, in seconds since 1970.
    ///   - body: as it is sent, to the byte.
    /// - Returns: `v1,` and the signature in base64.
    package func sign(id: String, timestamp: Int64, body: [UInt8]) -> String {
        let signed = Array("\(id).\(timestamp).".utf8) + body
        return "v1," + HMACSHA256.authenticate(signed, key: key).withUnsafeBytes { Base64.encode(Array($0)) }
    }
}
