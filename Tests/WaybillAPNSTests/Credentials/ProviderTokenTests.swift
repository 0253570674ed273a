import TLS
import Testing
import Threads
import WaybillAPNS

@Suite("Provider tokens, in virtual time")
struct ProviderTokenTests {
    private static func minute(_ minute: Int, calendarShift: Int64 = 0) -> APNSInstant {
        APNSInstant(
            monotonic: MonotonicTime(nanoseconds: 1_000_000_000_000).advanced(by: .seconds(minute * 60)),
            unixSeconds: 1_800_000_000 + Int64(minute) * 60 + calendarShift
        )
    }

    private static func source() throws -> APNSProviderTokenSource {
        try APNSProviderTokenSource(teamID: "ABCDE12345", keyID: "ABC123DEFG", key: .generate())
    }

    @Test("A JWT with the documented header and claims, signed by the key")
    func token() throws {
        let key = try ES256PrivateKey.generate()
        let source = try APNSProviderTokenSource(teamID: "ABCDE12345", keyID: "ABC123DEFG", key: key)
        let value = String(decoding: try source.current(at: Self.minute(0)).authorization, as: UTF8.self)
        #expect(value.hasPrefix("bearer "))
        let parts = value.dropFirst("bearer ".count).split(separator: ".", omittingEmptySubsequences: false)
        try #require(parts.count == 3)
        let header = try #require(Base64URL.decode(parts[0]))
        let claims = try #require(Base64URL.decode(parts[1]))
        #expect(String(decoding: header, as: UTF8.self) == #"{"alg":"ES256","kid":"ABC123DEFG"}"#)
        #expect(String(decoding: claims, as: UTF8.self) == #"{"iss":"ABCDE12345","iat":1800000000}"#)
        let signature = try #require(Base64URL.decode(parts[2]))
        #expect(key.publicKey.isValid(signature: signature, for: Array("\(parts[0]).\(parts[1])".utf8)))
    }

    @Test("At most one in 20 minutes, at least one in 60, over a day of asking each minute")
    func cadence() throws {
        let source = try Self.source()
        var mints: [Int] = []
        var serial = 0
        for minute in 0..<(24 * 60) {
            let token = try source.current(at: Self.minute(minute))
            if token.serial != serial { mints.append(minute) }
            serial = token.serial
            #expect(Self.minute(minute).unixSeconds - token.mintedAt.unixSeconds < 60 * 60)
        }
        for (earlier, later) in zip(mints, mints.dropFirst()) {
            #expect(later - earlier >= 20)
            #expect(later - earlier <= 60)
        }
        #expect(mints.count > 20)
    }

    @Test("Expired: a new one after 20 minutes, none before, and one for all who ask")
    func expired() throws {
        let source = try Self.source()
        let first = try source.current(at: Self.minute(0))
        #expect(source.refused(first, at: Self.minute(19)) == nil)
        let second = try #require(source.refused(first, at: Self.minute(20)))
        #expect(second.serial > first.serial)
        // A thousand streams carried the old one: all of them go on with the same new one.
        #expect(source.refused(first, at: Self.minute(20))?.serial == second.serial)
        #expect(source.refused(second, at: Self.minute(21)) == nil)
        #expect(try source.current(at: Self.minute(21)).serial == second.serial)
    }

    @Test("TooManyProviderTokenUpdates: no minting for 20 minutes, whatever the token's age")
    func hold() throws {
        let source = try Self.source()
        let first = try source.current(at: Self.minute(0))
        source.holdMinting(at: Self.minute(45))
        for minute in [45, 50, 55, 64] {
            #expect(try source.current(at: Self.minute(minute)).serial == first.serial)
            #expect(source.refused(first, at: Self.minute(minute)) == nil)
        }
        #expect(try source.current(at: Self.minute(65)).serial == first.serial + 1)
    }

    @Test("A calendar that jumps ahead makes a token old, but never mints twice in 20 minutes")
    func calendarJump() throws {
        let source = try Self.source()
        let first = try source.current(at: Self.minute(0))
        #expect(try source.current(at: Self.minute(10, calendarShift: 7200)).serial == first.serial)
        #expect(try source.current(at: Self.minute(20, calendarShift: 7200)).serial == first.serial + 1)
        // And back again: the token is from the future, and stays until the monotonic clock says otherwise.
        #expect(try source.current(at: Self.minute(41)).serial == first.serial + 1)
        #expect(try source.current(at: Self.minute(70)).serial == first.serial + 2)
    }

    @Test("Ids that could break out of the JSON are refused", arguments: ["", "A\"B", "ABC DEF", "Ä123456789"])
    func identifiers(id: String) throws {
        let key = try ES256PrivateKey.generate()
        #expect(throws: APNSSetupError.self) {
            try APNSProviderTokenSource(teamID: id, keyID: "ABC123DEFG", key: key)
        }
        #expect(throws: APNSSetupError.self) {
            try APNSProviderTokenSource(teamID: "ABCDE12345", keyID: id, key: key)
        }
    }

    @Test("A file that holds no P-256 key is refused without repeating it")
    func noKey() {
        let error = #expect(throws: APNSSetupError.self) {
            try APNSProviderTokenSource(teamID: "ABCDE12345", keyID: "ABC123DEFG", keyPEM: Array("SECRET".utf8))
        }
        #expect(error?.code == .credentials)
        #expect(error?.text.contains("SECRET") == false)
    }
}
