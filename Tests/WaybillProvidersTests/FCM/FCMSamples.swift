import WaybillCore
import WaybillFCM
import WaybillProviders

/// What the tests of FCM's items build messages from.
enum FCMSamples {
    static let token = "cXyZ0123456789abcdefgh:APA91bEXAMPLEexampleEXAMPLEexample"
    static let lane = Lane(name: "android", project: "parcels-4711")

    /// When the messages come, in seconds since 1970.
    static let now: Int64 = 1_790_000_000

    static func decode(
        _ body: String,
        _ properties: MessageProperties = MessageProperties(firstSeenMilliseconds: now * 1000)
    ) throws(BodyRejection) -> Batch {
        try BatchDecoder(limits: DecodingLimits(), lanes: [lane]).decode(Array(body.utf8), properties: properties).get()
    }

    /// One notification in the bare form, from the members after its token.
    static func notification(_ members: String) throws(BodyRejection) -> Batch.Item {
        try decode("[{\"device_token\":\"\(token)\",\(members)}]").items[0]
    }

    /// What is sent of a notification at a time in seconds since 1970.
    static func body(_ notification: WaybillCore.Notification, at now: Int64 = now) -> String {
        String(
            decoding: FCMRequest(notification, position: 0, notAfter: .max).body(at: now),
            as: UTF8.self
        )
    }

    /// The reason for which a notification is invalid; `nil` if it is not.
    static func fault(_ members: String) throws -> String? { try notification(members).invalid?.reason }
}
