import WaybillCore
import WaybillEncoding

/// What a dispatch message may not exceed.
///
/// The defaults are the contract of `schemas/dispatch-message.schema.json`.
package struct DecodingLimits: Hashable, Sendable {
    /// Bytes of a body, before and after inflating.
    package var maxBodySize: Int
    /// Notifications in one message.
    package var maxNotifications: Int
    /// Nesting of objects and arrays; ``depthCeiling`` at the most.
    package var maxDepth: Int
    /// Bytes of a payload as it is sent, for every push type but voip; APNs' own limit is 4,096.
    package var maxPayloadSize: Int
    /// Bytes of a voip payload as it is sent; APNs' own limit is 5,120.
    package var maxVoIPPayloadSize: Int
    /// Hexadecimal digits of a device token; 2 are the fewest.
    package var maxTokenDigits: Int

    package init(
        maxBodySize: Int = 1 << 20,
        maxNotifications: Int = 10_000,
        maxDepth: Int = 32,
        maxPayloadSize: Int = 4096,
        maxVoIPPayloadSize: Int = 5120,
        maxTokenDigits: Int = 400
    ) {
        self.maxBodySize = maxBodySize
        self.maxNotifications = maxNotifications
        self.maxDepth = maxDepth
        self.maxPayloadSize = maxPayloadSize
        self.maxVoIPPayloadSize = maxVoIPPayloadSize
        self.maxTokenDigits = maxTokenDigits
    }

    /// The deepest nesting that can be allowed: a delayed retry may be deeper than its message, and the scanner has to
    /// read that as well.
    package static let depthCeiling = JSONScanner.depthCeiling - retryDepth

    /// By how many bytes a delayed retry may be larger than a producer's body: the envelope around it, names fully escaped.
    static let retrySlack = 2048
    /// By how many levels a delayed retry may be deeper than a producer's body: the envelope around a bare array.
    static let retryDepth = 1
}
