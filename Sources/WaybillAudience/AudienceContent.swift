import WaybillEncoding
import WaybillMessages
import WaybillProviders

/// Which phones an audience's content is for.
enum AudienceContent {
    /// Members of Google's `Message` object that APNs has no word for.
    private static let ofFCM: Set<String> = [
        "data", "notification", "android", "android_v2", "webpush", "apns", "fcm_options",
    ]

    /// The providers for whose phones it is.
    ///
    /// A `message` is for all: each provider's rules make a payload of it. A `payload` goes out as it stands, so it is for those of
    /// the provider whose words it has.
    ///
    /// - Parameter message: whose content it is.
    /// - Returns: at least one; whether it can be sent is examined elsewhere.
    static func providers(of message: AudienceMessage) -> Set<ProviderName> {
        let content = [UInt8(ascii: "{")] + message.content + [UInt8(ascii: "}")]
        guard let members = (try? JSONReader.members(of: content)) ?? nil,
            let payload = members.first(where: { $0.name == "payload" }),
            let own = (try? JSONReader.members(of: content, in: payload.value)) ?? nil
        else { return Set(ProviderName.allCases) }
        // Push types are APNs', and a payload for an app's own code may have any member.
        if members.contains(where: { $0.name == "push_type" }) || own.contains(where: { $0.name == "aps" }) {
            return [.apns]
        }
        return own.contains { ofFCM.contains($0.name) } ? [.fcm] : [.apns]
    }
}
