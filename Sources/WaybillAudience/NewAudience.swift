package import WaybillMessages
import WaybillTLS

/// A message as it came, with what tells a repeat of it from another one of the same name.
package struct NewAudience: Sendable {
    package let message: AudienceMessage
    let body: [UInt8]
    let digest: String
    /// Its own time, in milliseconds since 1970; `nil` where its producer gave it none.
    package let publishedAt: Int64?

    /// Of its record.
    var key: String { AudienceKey.text(client: message.client, name: message.id) }

    package init(_ message: AudienceMessage, body: [UInt8], publishedAt: Int64? = nil) {
        self.message = message
        self.body = body
        self.publishedAt = publishedAt
        digest = SHA256Hasher.digest(of: body).hexadecimal
    }
}
