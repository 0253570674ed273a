import Testing
import WaybillCore

/// Capabilities: the vectors of `schemas/test-vectors.json`, which `scripts/check-schemas.py` computes on its own, and what is none.
struct ReceiptCapabilityTests {
    struct Vectors: Decodable {
        struct Capability: Decodable {
            let name: String
            let keyId: String
            let secret: String
            let expiry: Int64
            let apnsId: String
            let content: String?
            let wbRcpt: String
        }

        let receiptCapability: [Capability]
    }

    private static let secret = Array("0123456789abcdef0123456789abcdef".utf8)
    private static let id = NotificationID("5f0c7a3e-6a0e-5d0b-9a53-0d4cf2a1b9e7")!
    private static let expiry: Int64 = 1_790_086_400

    private func key(_ id: String, _ secret: [UInt8] = secret) throws -> ReceiptKey {
        try #require(ReceiptKey(id: id, secret: secret))
    }

    private func made(
        _ key: ReceiptKey,
        id: NotificationID = id,
        content: UInt64? = nil,
        expiry: Int64 = expiry
    ) -> String {
        var bytes = Array("before".utf8)
        let subject = ReceiptSubject(id, content: content)
        ReceiptCapability.append(of: subject, expiry: expiry, key: key, to: &bytes)
        return String(decoding: bytes.dropFirst(6), as: UTF8.self)
    }

    private func verdict(
        _ text: String,
        for id: NotificationID = id,
        now: Int64 = expiry,
        _ keys: ReceiptKeys
    ) -> ReceiptCapability.Verdict {
        Array(text.utf8).withUnsafeBufferPointer { ReceiptCapability.verdict(on: $0, for: id, now: now, keys: keys) }
    }

    @Test func theVectorsAreMadeAndBelieved() throws {
        for vector in try SchemaFiles.vectors(Vectors.self).receiptCapability {
            let key = try key(vector.keyId, Array(vector.secret.utf8))
            let id = try #require(NotificationID(vector.apnsId))
            let content = vector.content.flatMap(Fingerprint.value)
            #expect((content == nil) == (vector.content == nil))
            #expect(made(key, id: id, content: content, expiry: vector.expiry) == vector.wbRcpt, "\(vector.name)")
            #expect(vector.wbRcpt.utf8.count <= ReceiptCapability.mostBytes(isGiven: content != nil))
            let keys = try #require(ReceiptKeys(current: key))
            #expect(verdict(vector.wbRcpt, for: id, now: vector.expiry, keys) == .valid(content: content))
            #expect(verdict(vector.wbRcpt, for: id, now: vector.expiry + 1, keys) == .expired)
        }
    }

    @Test func bothLiveKeysAreBelievedAndOneThatIsGoneIsNot() throws {
        let (old, new) = (try key("k1"), try key("k2", Array("another secret of thirty-two bytes".utf8)))
        let keys = try #require(ReceiptKeys(current: new, other: old))
        #expect(verdict(made(new), keys) == .valid(content: nil))
        #expect(verdict(made(old), keys) == .valid(content: nil))
        let later = try #require(ReceiptKeys(current: new))
        #expect(verdict(made(old), later) == .forged)
        // The same id with another secret.
        let imposter = try #require(
            ReceiptKeys(current: try key("k1", Array("another secret of thirty-two bytes".utf8)))
        )
        #expect(verdict(made(old), imposter) == .forged)
        #expect(ReceiptKeys(current: old, other: try key("k1", new.id == "k2" ? Self.secret + [1] : [])) == nil)
    }

    @Test func itIsGoodForItsNotificationAlone() throws {
        let keys = try #require(ReceiptKeys(current: try key("k1")))
        let good = made(keys.current)
        for other in ["5f0c7a3e-6a0e-5d0b-9a53-0d4cf2a1b9e8", "00000000-0000-0000-0000-000000000000"] {
            #expect(verdict(good, for: try #require(NotificationID(other)), keys) == .forged)
        }
    }

    /// Of two pushes with one id, each says which it is of, and cannot say that it is of the other.
    @Test func itSaysWhatAPushWithAGivenIDIsAbout() throws {
        let keys = try #require(ReceiptKeys(current: try key("k1")))
        let contents: [UInt64] = [0x0000_0000_0000_00AB, .max]
        let both = contents.map { made(keys.current, content: $0) }
        for (text, content) in zip(both, contents) { #expect(verdict(text, keys) == .valid(content: content)) }
        let digits = contents.map(Fingerprint.text)
        #expect(both[0].contains(".\(digits[0]).") && digits == ["00000000000000ab", "ffffffffffffffff"])
        #expect(verdict(both[0].replacing(digits[0], with: digits[1]), keys) == .forged)
        #expect(verdict(both[0].replacing(digits[0], with: digits[0].uppercased()), keys) == .forged)
        // Neither form passes for the other.
        #expect(verdict(both[0].replacing(".\(digits[0])", with: "").replacing("v2.", with: "v1."), keys) == .forged)
        let old = made(keys.current)
        #expect(verdict(old.replacing("v1.", with: "v2."), keys) == .forged)
        for cut in 1..<both[0].utf8.count { #expect(verdict("\(both[0].dropLast(cut))", keys) == .forged) }
    }

    /// Whatever byte is changed, and into whatever: it is forged, also where its time has passed.
    @Test(arguments: [nil, 0x0123_4567_89AB_CDEF] as [UInt64?]) func everyChangeIsSeen(content: UInt64?) throws {
        let keys = try #require(ReceiptKeys(current: try key("k1")))
        let good = Array(made(keys.current, content: content).utf8)
        for place in good.indices {
            for byte in UInt8.min ... .max where byte != good[place] {
                var changed = good
                changed[place] = byte
                let text = changed.withUnsafeBufferPointer {
                    ReceiptCapability.verdict(on: $0, for: Self.id, now: Self.expiry + 1, keys: keys)
                }
                #expect(text == .forged, "\(place) \(byte)")
            }
        }
    }

    @Test(arguments: ["", ".", "...", "v1", "v1.k1", "v1.k1.1790086400", "v1.k1.1790086400.", "v1..1.", "v2.k1.1.AAAA"])
    func whatHasAnotherFormIsForged(_ text: String) throws {
        let keys = try #require(ReceiptKeys(current: try key("k1")))
        #expect(verdict(text, keys) == .forged)
    }

    @Test func itIsWrittenInOneWayOnly() throws {
        let keys = try #require(ReceiptKeys(current: try key("k1")))
        let good = made(keys.current)
        // The last of 22 characters has four bits that say nothing.
        for last in "BCDEFGHIJKLMNOP" { #expect(verdict(good.dropLast() + "\(last)", keys) == .forged) }
        for text in [good + "=", good + "A", " " + good, good.replacing(".1790086400.", with: ".01790086400.")] {
            #expect(verdict(text, keys) == .forged, "\(text)")
        }
        #expect(verdict(String(repeating: "v1.k1.1.", count: 1000), keys) == .forged)
    }

    @Test func keysSayNothingOfTheirSecrets() throws {
        let keys = try #require(ReceiptKeys(current: try key("k1")))
        var dumped = ""
        dump(keys, to: &dumped)
        for text in [dumped, "\(keys)", String(reflecting: keys)] {
            #expect(!text.contains("0123456789abcdef") && !text.contains("context"), "\(text)")
        }
    }

    // MARK: - Key files

    @Test func aFileHasOneKeyOrTwo() throws {
        let one = "k1 \(String(repeating: "s", count: 32))\n"
        #expect(try ReceiptKeyFile.read(Array(one.utf8)).ids == ["k1"])
        let two = "# rotated in June\r\n\nk2 \(String(repeating: "t", count: 64))\r\n" + one
        #expect(try ReceiptKeyFile.read(Array(two.utf8)).ids == ["k2", "k1"])
    }

    @Test(arguments: [
        ("", "has 0 keys"), ("k1 short", "line 1 must be an id"),
        ("K1 \(String(repeating: "s", count: 32))", "line 1 must be an id"),
        ("k123456789 \(String(repeating: "s", count: 32))", "line 1 must be an id"),
        ("\(String(repeating: "s", count: 64))", "line 1 must be an id"),
        (
            "k1 \(String(repeating: "s", count: 32))\nk1 \(String(repeating: "t", count: 32))",
            "has two keys with the id k1"
        ),
        (
            ["a", "b", "c"].map { "\($0) \(String(repeating: "s", count: 32))" }.joined(separator: "\n"),
            "has 3 keys, and must have one or 2"
        ),
    ])
    func whatIsNoKeyFileIsToldWithoutItsSecrets(_ text: String, _ words: String) {
        let error = #expect(throws: ReceiptKeyFile.Problem.self) { try ReceiptKeyFile.read(Array(text.utf8)) }
        #expect(error?.reason.hasPrefix(words) == true, "\(error?.reason ?? "")")
        #expect(error?.reason.contains("sss") == false)
    }
}
