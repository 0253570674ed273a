import WaybillCore
import WaybillProviders

/// What the tests build messages from.
enum Samples {
    static let token = "00fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0"
    static let otherToken = "a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f90"
    static let apnsID = "6f0c2d4e-8f3b-4c1a-9b7e-2d5f8a1c3e60"

    static let lanes = [
        Lane(
            name: "parcels-production",
            environment: .production,
            bundleID: "com.example.parcels",
            receipts: .onRequest
        ),
        Lane(name: "parcels-sandbox", environment: .sandbox, bundleID: "com.example.parcels.beta"),
    ]

    /// A message with every kind of member, as a producer writes it.
    static let envelope = """
        {"batch_id": "2026-11-21-parcel-7", "client": "acme", "lane": "parcels-sandbox",
         "defaults": {"push_type": "alert", "priority": 10, "expiration": 0, "badge": 1, "sound": "default"},
         "notifications": [
           {"device_token": "\(token)", "message": "Gr\\u00fc\\u00dfe \\ud83d\\udc4b, \\"you\\" — hier"},
           {"device_token": "\(otherToken.uppercased())", "payload": {"aps": {"alert": "x"}, "a": [1, -2.5e3, true, null]},
            "collapse_id": "order-7", "expiration": null, "priority": 5}
         ]}
        """

    static func decoder(_ limits: DecodingLimits = DecodingLimits()) -> BatchDecoder {
        BatchDecoder(limits: limits, lanes: lanes)
    }

    static func decode(
        _ body: String,
        _ properties: MessageProperties = MessageProperties(),
        limits: DecodingLimits = DecodingLimits()
    ) throws(BodyRejection) -> Batch {
        try decoder(limits).decode(Array(body.utf8), properties: properties).get()
    }

    /// The reason with which a body is refused; `nil` if it is not.
    static func rejection(
        _ body: String,
        _ properties: MessageProperties = MessageProperties(),
        limits: DecodingLimits = DecodingLimits()
    ) -> BodyRejection? {
        rejection(Array(body.utf8), properties, limits: limits)
    }

    static func rejection(
        _ body: [UInt8],
        _ properties: MessageProperties = MessageProperties(),
        limits: DecodingLimits = DecodingLimits()
    ) -> BodyRejection? {
        if case .failure(let rejection) = decoder(limits).decode(body, properties: properties) {
            rejection
        } else {
            nil
        }
    }

    /// One notification in the bare form, from the members after its token.
    static func notification(_ members: String, token: String = token) throws(BodyRejection) -> Batch.Item {
        try decode("[{\"device_token\":\"\(token)\",\(members)}]").items[0]
    }
}

extension Batch.Item {
    var valid: WaybillCore.Notification? {
        if case .valid(let notification) = content { notification } else { nil }
    }

    var invalid: InvalidItem? {
        if case .invalid(let item) = content { item } else { nil }
    }
}

extension ArraySlice<UInt8> {
    var text: String { String(decoding: self, as: UTF8.self) }
}
