import Testing
import WaybillCore
import WaybillProviders
import WaybillTestSupport

/// Bodies that no producer means: they may be refused, they may not crash, hang or be read past their end.
struct HostileBodyTests {
    static let bodies = [
        Samples.envelope,
        "[{\"device_token\":\"\(Samples.token)\",\"message\":\"x\\u00e9\\ud83d\\udc4b\",\"badge\":1e1}]",
        "{\"x-a\":[{}],\"payload\":{\"aps\":{}},\"device_tokens\":[\"\(Samples.token)\",7,\"\\u0030f\"]}",
    ]

    @Test(arguments: bodies)
    func everyTruncationIsRefused(body: String) {
        let bytes = Array(body.utf8)
        #expect(Samples.rejection(bytes) == nil)
        for length in 0..<bytes.count {
            // A copy of exactly this size, so that a read past its end is one past an allocation.
            let rejection = Samples.rejection(Array(bytes[..<length]))
            #expect(rejection != nil, "cut at \(length)")
        }
    }

    /// Deterministic: a failure comes back.
    @Test(arguments: bodies)
    func mutationsAreReadOrRefused(body: String) {
        var random = SplitMix(state: 0x5741_5942_494C_4C00)
        let original = Array(body.utf8)
        let decoder = Samples.decoder()
        for _ in 0..<4000 {
            var bytes = original
            for _ in 0...Int(random.next() % 4) { mutate(&bytes, &random) }
            guard case .success(let batch) = decoder.decode(bytes, properties: MessageProperties()) else { continue }
            for item in batch.items {
                // Whatever was read keeps to the rules of what reaches the path and the headers.
                guard let notification = item.valid else { continue }
                #expect(
                    notification.deviceToken.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
                )
                #expect((notification.topic ?? "\u{0}").utf8.allSatisfy { (0x21...0x7E).contains($0) })
                #expect((notification.kind ?? "\u{0}").utf8.allSatisfy { (0x21...0x7E).contains($0) })
                #expect([10, 5, 1].contains(notification.priority.rawValue))
                if case .explicit(let id) = notification.collapseKey {
                    #expect((1...64).contains(id.count))
                    #expect(id.allSatisfy { (0x21...0x7E).contains($0) })
                }
            }
        }
    }

    private func mutate(_ bytes: inout [UInt8], _ random: inout SplitMix) {
        guard !bytes.isEmpty else { return }
        let position = Int(random.next() % UInt64(bytes.count))
        let marks = Array("{}[]\":,\\u0123dD89aA -+.eEtfn\n".utf8) + [0x00, 0x1F, 0x7F, 0x80, 0xC3, 0xED, 0xF4, 0xFF]
        switch random.next() % 4 {
        case 0: bytes[position] = UInt8(truncatingIfNeeded: random.next())
        case 1: bytes[position] = marks[Int(random.next() % UInt64(marks.count))]
        case 2: bytes.remove(at: position)
        default: bytes.insert(marks[Int(random.next() % UInt64(marks.count))], at: position)
        }
    }

    @Test func deepAndWideBodies() {
        #expect(Samples.rejection(String(repeating: "[", count: 100_000))?.reason == "too_deep")
        #expect(Samples.rejection(String(repeating: "{\"a\":", count: 100_000))?.reason == "too_deep")
        #expect(
            Samples.rejection("[{\"payload\":" + String(repeating: "{\"a\":", count: 100_000))?.reason == "too_deep"
        )
        #expect(
            Samples.rejection("[" + String(repeating: "7,", count: 400_000) + "7]")?.reason == "too_many_notifications"
        )
    }
}
