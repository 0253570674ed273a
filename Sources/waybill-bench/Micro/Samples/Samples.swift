import WaybillAPNS
import WaybillCore
import WaybillEncoding
import WaybillProviders

/// The notifications that every case works on: the same at every run.
enum Samples {
    static let messages = 50
    static let notificationsPerMessage = 100
    static let payloadSize = 200

    static let laneSettings = LaneSettings(
        name: "parcels",
        provider: .apns(
            APNSLaneSettings(
                rules: APNSLane(environment: .production, bundleID: "com.example.parcels"),
                credentials: .token(teamID: "", keyID: "", keyFile: "never opened")
            )
        )
    )
    static let lanes = [laneSettings.lane]
    static let timestamp: Int64 = 1_767_225_600

    /// A device token of 64 digits that no other number has, and that compresses as badly as a real one.
    static func token(_ number: Int) -> String {
        var noise = Noise(state: UInt64(number))
        return (0..<4).map { _ in Hexadecimal.text(noise.next()) }.joined()
    }

    /// An alert of 200 bytes with an order number of its own.
    static func payload(_ number: Int) -> String {
        let start = #"{"aps":{"alert":{"title":"Your parcel","body":"The courier is two stops away"},"sound":"default"#
        let order = #"","badge":1},"order":"\#(1_000_000 + number)","note":""#
        let end = #""}"#
        let fill = payloadSize - start.utf8.count - order.utf8.count - end.utf8.count
        return start + order + String(repeating: "x", count: fill) + end
    }

    /// The numbers of a message's notifications.
    static func numbers(ofMessage message: Int) -> Range<Int> {
        let first = message * notificationsPerMessage
        return first..<first + notificationsPerMessage
    }

    static func properties(ofMessage message: Int) -> MessageProperties {
        MessageProperties(
            messageID: NotificationID(high: 0x0193_4d5e_6f70_4000, low: 0x8000_0000_0000_0000 | UInt64(message))
                .description,
            timestampMilliseconds: timestamp * 1000
        )
    }

    /// The decoded messages of the array form.
    static func batches() throws -> [Batch] {
        let decoder = BatchDecoder(limits: DecodingLimits(), lanes: lanes)
        return try (0..<messages).map { message in
            try decoder.decode(SampleBodies.array(message), properties: properties(ofMessage: message)).get()
        }
    }
}

/// Numbers that look random and are the same at every run (SplitMix64).
struct Noise: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
        return word ^ word >> 31
    }
}
