import WaybillAPNS
import WaybillPushTransport
import WaybillThreads

/// An owner that tells its batches apart by a number.
final class NumberedOwner: PushRequestOwner {
    let number: Int

    init(_ number: Int) {
        self.number = number
    }
}

enum Fixture {
    /// A request that passes every check of a strict server.
    static func request(
        index: Int = 0,
        token: String? = nil,
        topic: String = "com.example.parcels",
        payload: String = #"{"aps":{"alert":"Your parcel is here"}}"#,
        pushType: APNSPushType = .alert,
        expiration: APNSExpiration = .immediate,
        collapseID: APNSCollapseID = .none,
        resendsUnknown: Bool = false
    ) -> APNSRequest {
        APNSRequest(
            index: index,
            deviceToken: Array((token ?? Self.token(index)).utf8)[...],
            payload: Array(payload.utf8)[...],
            topic: topic,
            pushType: pushType,
            priority: pushType.defaultPriority,
            expiration: expiration,
            apnsID: APNSID(high: 0x0193_4d5e_6f70_8000, low: 0x8000_0000_0000_0000 | UInt64(index)),
            collapseID: collapseID,
            resendsUnknown: resendsUnknown
        )
    }

    /// A token of 64 digits that begins with a prefix and ends with a number.
    static func token(_ number: Int, prefix: String = "") -> String {
        let digits = String(number, radix: 16)
        return prefix + String(repeating: "0", count: 64 - prefix.count - digits.count) + digits
    }

    static func batch(count: Int, owner: Int = 0) -> APNSRequestBatch {
        APNSRequestBatch(owner: NumberedOwner(owner), requests: (0..<count).map { request(index: $0) })
    }
}
