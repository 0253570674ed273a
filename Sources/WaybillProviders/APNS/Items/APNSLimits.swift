package import WaybillAPNS

/// What an item for APNs may not exceed.
///
/// The defaults are the contract of `schemas/dispatch-message.schema.json`.
package struct APNSLimits: Hashable, Sendable {
    /// Bytes of a payload as it is sent, for every push type but voip; APNs' own limit is 4,096.
    package var maxPayloadSize: Int
    /// Bytes of a voip payload as it is sent; APNs' own limit is 5,120.
    package var maxVoIPPayloadSize: Int
    /// Hexadecimal digits of a device token; 2 are the fewest.
    package var maxTokenDigits: Int

    package init(maxPayloadSize: Int = 4096, maxVoIPPayloadSize: Int = 5120, maxTokenDigits: Int = 400) {
        self.maxPayloadSize = maxPayloadSize
        self.maxVoIPPayloadSize = maxVoIPPayloadSize
        self.maxTokenDigits = maxTokenDigits
    }

    /// The payload limit of a push type.
    package func payloadSize(for pushType: APNSPushType) -> Int {
        pushType == .voip ? maxVoIPPayloadSize : maxPayloadSize
    }
}
