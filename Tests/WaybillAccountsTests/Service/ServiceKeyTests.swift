import Testing

@testable import WaybillAccounts

struct ServiceKeyTests {
    private static let id = "0b5a7a52-8d0f-4f5b-9d5b-6f2f0f7f6a10"
    private static let secret = [UInt8](repeating: 7, count: 32)

    /// The value is of Python's `hmac`.
    @Test func isDerivedFromServiceAndMoment() {
        let key = ServiceKey(service: Self.id, createdAt: 1_700_000_000_123, secret: Self.secret)
        #expect(key.reveal() == "af0707a0e60a867b33cca99190eca6704218ea252dc70e4cc25f41c486121a85")
        for other in [
            ServiceKey(service: Self.id, createdAt: 1_700_000_000_124, secret: Self.secret),
            ServiceKey(service: "1" + Self.id.dropFirst(), createdAt: 1_700_000_000_123, secret: Self.secret),
            ServiceKey(service: Self.id, createdAt: 1_700_000_000_123, secret: [UInt8](repeating: 8, count: 32)),
        ] {
            #expect(other.reveal() != key.reveal())
        }
    }

    @Test func whatIsShownIsAKeyInEitherCaseOrNone() {
        let key = ServiceKey(service: Self.id, createdAt: 1, secret: Self.secret)
        #expect(ServiceKey(shown: key.reveal())?.digest == key.digest)
        #expect(ServiceKey(shown: key.reveal().uppercased())?.digest == key.digest)
        for text in ["", "ab", key.reveal() + "00", String(key.reveal().dropLast()) + "g"] {
            #expect(ServiceKey(shown: text) == nil)
        }
        #expect(!"\(key) \(String(reflecting: key))".contains(key.reveal()))
    }

    @Test func aFormerSecretStillShowsItsKeys() {
        let secrets = ServiceKeySecrets(
            current: .init(id: "new", secret: [UInt8](repeating: 9, count: 32)),
            former: .init(id: "old", secret: Self.secret)
        )
        let key = ServiceKey(service: Self.id, createdAt: 5, secret: Self.secret)
        #expect(secrets.key(service: Self.id, createdAt: 5, root: "old")?.reveal() == key.reveal())
        #expect(secrets.key(service: Self.id, createdAt: 5, root: "new")?.reveal() != key.reveal())
        #expect(secrets.key(service: Self.id, createdAt: 5, root: "gone") == nil)
    }

    @Test(arguments: [
        ("0B5A7A52-8D0F-4F5B-9D5B-6F2F0F7F6A10", true), (Self.id, true), ("", false), ("0b5a7a52", false),
        ("0b5a7a528d0f4f5b9d5b6f2f0f7f6a10", false),
    ])
    func idsAreUUIDsOfEitherCase(text: String, isID: Bool) {
        #expect(ServiceDetails.id(text) == (isID ? Self.id : nil))
        #expect(ServiceDetails.id(ServiceDetails.newID()) != nil)
    }

    @Test(arguments: [
        ("a", true), (String(repeating: "ä", count: 64), true), ("", false), ("a\nb", false),
        (String(repeating: "a", count: 65), false), ("👩‍👧 home", true), ("می‌خواهم", true), ("a\u{202E}b", false),
        ("a\u{200B}", false), ("a\u{2028}b", false), ("a\u{2029}b", false), ("a\u{FEFF}", false), ("  ", false),
        ("\u{00A0}", false), ("\u{200D}", false), ("\u{3164}", false),
    ])
    func namesHaveOneTo64Characters(text: String, isName: Bool) {
        #expect((ServiceName(text) != nil) == isName)
    }
}
