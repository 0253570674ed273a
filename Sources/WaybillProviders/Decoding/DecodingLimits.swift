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
    /// Of one item, on lanes to APNs.
    package var apns: APNSLimits
    /// Of one item, on lanes to FCM.
    package var fcm = FCMLimits()

    package init(
        maxBodySize: Int = 1 << 20,
        maxNotifications: Int = 10_000,
        maxDepth: Int = 32,
        apns: APNSLimits = APNSLimits()
    ) {
        self.maxBodySize = maxBodySize
        self.maxNotifications = maxNotifications
        self.maxDepth = maxDepth
        self.apns = apns
    }

    /// The deepest nesting that can be allowed: a delayed retry may be deeper than its message, and the scanner has to
    /// read that as well.
    package static let depthCeiling = JSONScanner.depthCeiling - retryDepth

    /// By how many bytes a delayed retry may be larger than a producer's body: the envelope around it, names fully escaped.
    static let retrySlack = 2048
    /// By how many levels a delayed retry may be deeper than a producer's body: the envelope around a bare array.
    static let retryDepth = 1
}
