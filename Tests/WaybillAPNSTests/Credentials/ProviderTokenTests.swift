import Testing
import WaybillEncoding
import WaybillPushTransport
import WaybillTLS
import WaybillThreads

@testable import WaybillAPNS

@Suite("Provider tokens, in virtual time")
struct ProviderTokenTests {
    private static func source() throws -> APNSProviderTokenSource {
        try APNSProviderTokenSource(teamID: "ABCDE12345", keyID: "ABC123DEFG", key: .generate())
    }

    private func token(_ source: APNSProviderTokenSource, at now: ClockReading) throws -> APNSProviderToken {
        // A key of our own never makes anybody wait.
        try #require(try source.current(at: now) { Issue.record("nobody waits for a key of our own") })
    }

    private func refused(_ source: APNSProviderTokenSource, _ token: APNSProviderToken, at now: ClockReading) -> Bool {
        let prospect = source.refused(serial: token.serial, .expired, at: now) {
            Issue.record("nobody waits for a key of our own")
        }
        return prospect == .successor
    }

    @Test("A JWT with the documented header and claims, signed by the key")
    func token() throws {
        let key = try ES256PrivateKey.generate()
        let source = try APNSProviderTokenSource(teamID: "ABCDE12345", keyID: "ABC123DEFG", key: key)
        let value = String(decoding: try token(source, at: .minute(0)).authorization, as: UTF8.self)
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
            let token = try token(source, at: .minute(minute))
            if token.serial != serial { mints.append(minute) }
            serial = token.serial
            #expect(ClockReading.minute(minute).unixSeconds - token.issuedAt < 60 * 60)
        }
        for (earlier, later) in zip(mints, mints.dropFirst()) {
            #expect(later - earlier == 24)
        }
        #expect(mints.count > 20)
    }

    @Test("A thousand refused requests, a calendar that jumps about: still none under 20 minutes, over a day")
    func cadenceUnderFire() throws {
        let source = try Self.source()
        var mints: [Int] = []
        var (serial, uses) = (0, 0)
        for minute in 0..<(24 * 60) {
            let shift: Int64 = [0, 7200, -7200, 86_400, -86_400][minute / 7 % 5]
            let now = ClockReading.minute(minute, calendarShift: shift)
            guard let token = try? source.current(at: now, whenReady: {}) else { continue }
            if token.serial != serial { mints.append(minute) }
            serial = token.serial
            uses += 1
            for _ in 0..<10 { #expect(!refused(source, token, at: now)) }
        }
        for (earlier, later) in zip(mints, mints.dropFirst()) { #expect(later - earlier == 20) }
        #expect(mints.count == 72)
        #expect(uses == 144, "each is tried twice")
    }

    @Test("Expired: a new one after 20 minutes, none before, and one for all who ask")
    func expired() throws {
        let source = try Self.source()
        let first = try token(source, at: .minute(0))
        #expect(!refused(source, first, at: .minute(19, second: 59)))
        let error = #expect(throws: APNSSetupError.self) {
            try source.current(at: .minute(19, second: 59), whenReady: {})
        }
        #expect(error?.text.contains("ExpiredProviderToken") == true)
        #expect(source.retryTime == ClockReading.minute(20).monotonic)
        #expect(refused(source, first, at: .minute(20)))
        let second = try token(source, at: .minute(20))
        #expect(second.serial == first.serial + 1)
        // A thousand streams carried the old one: all of them go on with the same new one.
        #expect(refused(source, first, at: .minute(20)))
        #expect(try token(source, at: .minute(20)).serial == second.serial)
        #expect(!refused(source, second, at: .minute(21)))
        #expect(!refused(source, second, at: .minute(21, second: 10)))
        #expect(throws: APNSSetupError.self) { try source.current(at: .minute(39), whenReady: {}) }
        #expect(try token(source, at: .minute(40)).serial == second.serial + 1)
    }

    @Test("Expired too early, twice: not sent again, and replaced as soon as that is allowed, by one of another date")
    func expiredEarly() throws {
        let source = try Self.source()
        let first = try token(source, at: .minute(0))
        #expect(!refused(source, first, at: .minute(5)))
        #expect(!refused(source, first, at: .minute(6)))
        #expect(throws: APNSSetupError.self) { try source.current(at: .minute(19), whenReady: {}) }
        let second = try token(source, at: .minute(20))
        #expect(second.serial == first.serial + 1)
        #expect(second.issuedAt == ClockReading.minute(20).unixSeconds)
    }

    @Test("TooManyProviderTokenUpdates, twice: the token is not sent again, and no other is made for 20 minutes")
    func hold() throws {
        let source = try Self.source()
        let first = try token(source, at: .minute(0))
        #expect(source.refused(serial: first.serial, .throttled, at: .minute(44)) {} == .secondChance)
        #expect(source.refused(serial: first.serial, .throttled, at: .minute(45)) {} == .none)
        for minute in 45..<65 {
            let error = #expect(throws: APNSSetupError.self) { try source.current(at: .minute(minute)) {} }
            #expect(error?.code == .credentials)
            #expect(error?.text.contains("TooManyProviderTokenUpdates") == true)
            #expect(source.retryTime == ClockReading.minute(65).monotonic)
        }
        let second = try token(source, at: .minute(65))
        #expect(second.serial == first.serial + 1)
        #expect(second.issuedAt == ClockReading.minute(65).unixSeconds)
    }

    @Test("A late refusal of the token before leaves the present one in use")
    func lateRefusal() throws {
        let source = try Self.source()
        let first = try token(source, at: .minute(0))
        let second = try token(source, at: .minute(24))
        #expect(refused(source, first, at: .minute(25)))
        #expect(source.refused(serial: first.serial, .throttled, at: .minute(25)) {} == .successor)
        #expect(try token(source, at: .minute(25)).serial == second.serial)
    }

    @Test("A calendar that jumps ahead makes a token old, but never mints twice in 20 minutes")
    func calendarJump() throws {
        let source = try Self.source()
        let first = try token(source, at: .minute(0))
        #expect(try token(source, at: .minute(10, calendarShift: 7200)).serial == first.serial)
        #expect(try token(source, at: .minute(20, calendarShift: 7200)).serial == first.serial + 1)
        // And back again: the token is from the future, and stays until the monotonic clock says otherwise.
        #expect(try token(source, at: .minute(41)).serial == first.serial + 1)
        #expect(try token(source, at: .minute(70)).serial == first.serial + 2)
    }

    @Test(
        "Ids that are not ten letters and digits are refused",
        arguments: ["", "A\"B", "ABC DEF123", "Ä123456789", "ABCDE1234", "ABCDE123456"]
    )
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

    @Test("No description holds a token or a key")
    func descriptions() throws {
        let source = try Self.source()
        let token = try token(source, at: .minute(0))
        let secret = String(decoding: token.authorization.dropFirst("bearer ".count), as: UTF8.self)
        var texts = ["\(source)", "\(token)", "\(APNSCredentials.token(source))", String(reflecting: token)]
        var dumped = ""
        dump(source, to: &dumped)
        dump(token, to: &dumped)
        dump(APNSCredentials.token(source), to: &dumped)
        texts.append(dumped)
        for text in texts {
            #expect(!text.contains(secret))
            #expect(!text.contains("authorization"))
            #expect(!text.contains("ES256PrivateKey"))
        }
        #expect("\(source)" == "key ABC123DEFG of team ABCDE12345")
    }
}
