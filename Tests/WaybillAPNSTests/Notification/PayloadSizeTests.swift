import Testing
import WaybillAPNS

@Suite("The size of a payload")
struct PayloadSizeTests {
    /// An alert whose payload has this many bytes, of two-byte letters as far as they go.
    private static func payload(size: Int) throws -> APNSPayload {
        let frame = try APNSPayload(.alert(" ")).bytes.count - 1
        let room = size - frame
        let text = String(repeating: "é", count: room / 2) + String(repeating: "x", count: room % 2)
        return try APNSPayload(.alert(APNSAlert(text)))
    }

    private static func send(_ payload: APNSPayload, _ type: APNSPushType) throws(APNSError) {
        var notification = APNSNotification(to: "ab", payload: payload, pushType: type)
        notification.topic = "t"
        _ = try notification.makeRequest(index: 0, bundleID: nil, usesCertificate: false)
    }

    /// Background and MDM pushes cannot be alerts; their limit is the common one, tested below.
    static let types = APNSPushType.known.filter { $0 != .background && $0 != .mdm } + [APNSPushType(rawValue: "new")]

    @Test("The limit is counted in bytes of UTF-8, not in characters", arguments: types)
    func limit(type: APNSPushType) throws {
        let limit = type == .voip ? 5120 : 4096
        let largest = try Self.payload(size: limit)
        #expect(largest.bytes.count == limit)
        #expect(String(decoding: largest.bytes, as: UTF8.self).count < limit)
        try Self.send(largest, type)
        let tooLarge = try Self.payload(size: limit + 1)
        #expect(tooLarge.bytes.count == limit + 1)
        let error = #expect(throws: APNSError.self) { try Self.send(tooLarge, type) }
        #expect(error?.field == "payload")
        #expect(error?.text.contains("\(limit + 1)") == true)
        #expect(error?.text.contains("\(limit)") == true)
    }

    @Test("Background and MDM pushes have the common limit", arguments: [APNSPushType.background, .mdm])
    func limitOfCheckedTypes(type: APNSPushType) throws {
        let start = type == .mdm ? #"{"mdm":"m","x":""# : #"{"aps":{"content-available":1},"x":""#
        func payload(_ size: Int) -> APNSPayload {
            APNSPayload(json: start + String(repeating: "x", count: size - start.utf8.count - 2) + "\"}")
        }
        try Self.send(payload(4096), type)
        let error = #expect(throws: APNSError.self) { try Self.send(payload(4097), type) }
        #expect(error?.field == "payload")
    }

    @Test("Custom keys count")
    func customKeys() throws {
        let frame = try APNSPayload(.alert("x"), custom: ["k": ""]).bytes.count
        for (size, fits) in [(4096, true), (4097, false)] {
            let payload = try APNSPayload(.alert("x"), custom: ["k": String(repeating: "v", count: size - frame)])
            #expect(payload.bytes.count == size)
            let accepted = (try? Self.send(payload, .alert)) != nil
            #expect(accepted == fits)
        }
    }
}
