import Testing
import WaybillEncoding
import WaybillPushTransport
import WaybillTLS
import WaybillThreads

@testable import WaybillAPNS

@Suite("A signer of the caller's own")
struct SignerTests {
    private let signer: GatedSigner
    private let source: APNSProviderTokenSource
    private let bell: Bell

    init() throws {
        signer = try GatedSigner()
        bell = try Bell()
        source = try APNSProviderTokenSource(teamID: "ABCDE12345", keyID: "ABC123DEFG", signer: signer)
    }

    /// Asks, and counts in the bell when the wait is over.
    private func ask(_ now: ClockReading) throws(APNSSetupError) -> Int? {
        let bell = bell
        return try source.current(at: now, whenReady: { bell.ring() })?.serial
    }

    private func refuse(_ serial: Int, _ refusal: TokenRefusal = .expired, at now: ClockReading) -> Bool {
        let bell = bell
        return source.refused(serial: serial, refusal, at: now, whenReady: { bell.ring() }) == .successor
    }

    /// Lets one mint begin and end.
    private func mint(_ answer: GatedSigner.Answer, at now: ClockReading) throws {
        #expect(try ask(now) == nil)
        let rings = bell.rung
        signer.answer(answer)
        try bell.wait(for: rings + 1)
    }

    @Test("The first token is waited for; everybody who asked is told once, and one signature serves all")
    func first() throws {
        for _ in 0..<5 { #expect(try ask(.minute(0)) == nil) }
        #expect(bell.rung == 0)
        signer.answer(.sign)
        try bell.wait(for: 5)
        for _ in 0..<5 { #expect(try ask(.minute(0)) == 1) }
        #expect(signer.calls == 1)
        #expect(bell.rung == 5)
        let token = try #require(try source.current(at: .minute(0), whenReady: {}))
        let jwt = String(decoding: token.authorization.dropFirst("bearer ".count), as: UTF8.self)
        let parts = jwt.split(separator: ".")
        try #require(parts.count == 3)
        let signature = try #require(Base64URL.decode(parts[2]))
        #expect(signer.key.publicKey.isValid(signature: signature, for: Array("\(parts[0]).\(parts[1])".utf8)))
    }

    @Test("A renewal makes nobody wait: the old token is good until the new one is there")
    func renewal() throws {
        try mint(.sign, at: .minute(0))
        #expect(try ask(.minute(0)) == 1)
        for minute in 24..<60 { #expect(try ask(.minute(minute)) == 1) }
        signer.answer(.sign)
        try wait { try ask(.minute(59)) == 2 }
        #expect(signer.calls == 2)
        // Issued at minute 24, first seen by APNs at 59: its age counts from there, the next change from here.
        #expect(try ask(.minute(73)) == 2)
        #expect(signer.calls == 2)
    }

    /// Waits for something that nobody is told of.
    private func wait(until isSo: () throws -> Bool) throws {
        let deadline = MonotonicTime.now().advanced(by: .seconds(30))
        while try !isSo() {
            try #require(MonotonicTime.now() < deadline)
            NamedThread.sleep(for: .milliseconds(1), unless: { false })
        }
    }

    @Test("A signer that is slower than the token lives: at 60 minutes there is none, and it is waited for")
    func slow() throws {
        try mint(.sign, at: .minute(0))
        #expect(try ask(.minute(0)) == 1)
        #expect(try ask(.minute(50)) == 1)
        #expect(try ask(.minute(59, second: 59)) == 1)
        #expect(try ask(.minute(60)) == nil)
        signer.answer(.sign)
        try bell.wait(for: 2)
        #expect(try ask(.minute(60)) == 2)
        #expect(signer.mostRunning == 1)
    }

    @Test("A token that nobody took in its time is minted again, never used")
    func forgotten() throws {
        try mint(.sign, at: .minute(0))
        // The next question comes an hour later.
        try mint(.sign, at: .minute(61))
        #expect(try ask(.minute(61)) == 1)
        #expect(signer.calls == 2)
    }

    @Test("A failure is thrown with the signer's words, and the signer is left in peace for a growing pause")
    func failure() throws {
        try mint(.fail, at: .minute(0))
        let error = #expect(throws: APNSSetupError.self) { try ask(.minute(0)) }
        #expect(error?.code == .credentials)
        #expect(error?.text.contains("the vault is sealed") == true)
        #expect(source.retryTime == ClockReading.minute(0, second: 1).monotonic)
        #expect(source.lastFailure == error)
        #expect(signer.calls == 1)
        try mint(.fail, at: .minute(0, second: 1))
        #expect(throws: APNSSetupError.self) { try ask(.minute(0, second: 2)) }
        #expect(signer.calls == 2)
        #expect(throws: APNSSetupError.self) { try ask(.minute(0, second: 3)) }
        try mint(.sign, at: .minute(0, second: 4))
        #expect(try ask(.minute(0, second: 4)) == 1)
        #expect(source.lastFailure == nil)
    }

    @Test("A renewal that fails is tried again while the token lasts; after an hour there is none")
    func failingRenewal() throws {
        try mint(.sign, at: .minute(0))
        #expect(try ask(.minute(0)) == 1)
        for (failures, minute) in [50, 52, 54, 56, 58].enumerated() {
            #expect(try ask(.minute(minute)) == 1)
            signer.answer(.fail)
            try wait { source.lastFailure?.text.contains("call \(failures + 2)") == true }
            // Taken up at this minute; the token is still good.
            #expect(try ask(.minute(minute)) == 1)
        }
        try mint(.fail, at: .minute(60))
        let error = #expect(throws: APNSSetupError.self) { try ask(.minute(60)) }
        #expect(error?.text.contains("call 7") == true)
        try mint(.sign, at: .minute(61))
        #expect(try ask(.minute(61)) == 2)
        #expect(signer.mostRunning == 1)
    }

    @Test("Expired: the refused token is not used while its successor is signed, and all are told")
    func expired() throws {
        try mint(.sign, at: .minute(0))
        #expect(try ask(.minute(0)) == 1)
        #expect(!refuse(1, at: .minute(19)))
        for _ in 0..<3 { #expect(refuse(1, at: .minute(20))) }
        #expect(try ask(.minute(20)) == nil)
        signer.answer(.sign)
        try bell.wait(for: 5)
        #expect(refuse(1, at: .minute(20)))
        #expect(try ask(.minute(20)) == 2)
        #expect(signer.calls == 2)
        #expect(!refuse(2, at: .minute(39)))
    }

    @Test("Expired, and the signer fails: the old token is not sent again, and both are named")
    func expiredAndFailing() throws {
        try mint(.sign, at: .minute(0))
        #expect(try ask(.minute(0)) == 1)
        #expect(refuse(1, at: .minute(20)))
        signer.answer(.fail)
        try bell.wait(for: 2)
        #expect(!refuse(1, at: .minute(20)))
        let error = #expect(throws: APNSSetupError.self) { try ask(.minute(20)) }
        #expect(error?.text.contains("ExpiredProviderToken") == true)
        #expect(error?.text.contains("the vault is sealed") == true)
        // And the next attempt comes after the pause, without another refusal.
        #expect(try ask(.minute(20, second: 1)) == nil)
        signer.answer(.sign)
        try bell.wait(for: 3)
        #expect(try ask(.minute(20, second: 1)) == 2)
    }

    @Test("TooManyProviderTokenUpdates while one is being signed: it is kept until APNs may see it")
    func hold() throws {
        try mint(.sign, at: .minute(0))
        #expect(try ask(.minute(0)) == 1)
        #expect(refuse(1, at: .minute(20)))
        #expect(!refuse(1, .throttled, at: .minute(20)))
        #expect(!refuse(1, .throttled, at: .minute(20, second: 10)))
        signer.answer(.sign)
        try bell.wait(for: 2)
        for minute in 20..<40 { #expect(throws: APNSSetupError.self) { try ask(.minute(minute)) } }
        #expect(throws: APNSSetupError.self) { try ask(.minute(40)) }
        #expect(try ask(.minute(40, second: 10)) == 2)
        #expect(signer.calls == 2)
    }

    @Test(
        "A signature that is not r and s is refused, and named",
        arguments: [
            ([], "has 0 bytes"),
            ([UInt8](repeating: 7, count: 63), "has 63 bytes"),
            ([0x30] + [UInt8](repeating: 7, count: 70), "ASN.1"),
        ]
    )
    func length(signature: [UInt8], part: String) throws {
        try mint(.bytes(signature), at: .minute(0))
        let error = #expect(throws: APNSSetupError.self) { try ask(.minute(0)) }
        #expect(error?.text.contains(part) == true)
        #expect(error?.text.contains("64") == true)
    }
}
