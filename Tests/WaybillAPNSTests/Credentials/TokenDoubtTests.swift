import Testing
import WaybillPushTransport
import WaybillTLS
import WaybillThreads

@testable import WaybillAPNS

@Suite("A provider token that APNs refused, in virtual time")
struct TokenDoubtTests {
    private let source: APNSProviderTokenSource
    private let first: APNSProviderToken

    init() throws {
        source = try APNSProviderTokenSource(teamID: "ABCDE12345", keyID: "ABC123DEFG", key: .generate())
        first = try #require(try source.current(at: .minute(0), whenReady: {}))
    }

    private func serial(at now: ClockReading) throws(APNSSetupError) -> Int? {
        try source.current(at: now, whenReady: {})?.serial
    }

    private func refuse(_ refusal: TokenRefusal, at now: ClockReading) -> TokenProspect {
        source.refused(serial: first.serial, refusal, at: now) { Issue.record("nobody waits for a key of our own") }
    }

    @Test("Refused once, it rests for two seconds and is used again", arguments: [TokenRefusal.expired, .throttled])
    func secondChance(refusal: TokenRefusal) throws {
        #expect(refuse(refusal, at: .minute(1)) == .secondChance)
        for second in [0, 1] {
            let error = #expect(throws: APNSSetupError.self) { try serial(at: .minute(1, second: second)) }
            #expect(error?.code == .credentials)
            #expect(error?.text.contains(refusal.reason.rawValue) == true)
            #expect(source.retryTime == ClockReading.minute(1, second: 2).monotonic)
        }
        #expect(try serial(at: .minute(1, second: 2)) == first.serial)
    }

    @Test("What was under way is refused, too: that counts once, however late, and does not prolong the pause")
    func underWay() throws {
        for second in 0..<2 { #expect(refuse(.expired, at: .minute(1, second: second)) == .secondChance) }
        let sentAt = ClockReading.minute(1).monotonic
        let late = source.refused(serial: first.serial, .expired, sentAt: sentAt, at: .minute(1, second: 2)) {}
        #expect(late == .secondChance)
        #expect(try serial(at: .minute(1, second: 2)) == first.serial)
    }

    @Test(
        "Refused when the pause is over: never used again, and asked for when another may be made",
        arguments: [(TokenRefusal.expired, 20), (.throttled, 21)]
    )
    func final(refusal: TokenRefusal, next: Int) throws {
        #expect(refuse(refusal, at: .minute(0, second: 50)) == .secondChance)
        #expect(refuse(refusal, at: .minute(1)) == .none)
        source.accepted(serial: first.serial, at: .minute(1))
        for minute in 1..<next {
            #expect(throws: APNSSetupError.self) { try serial(at: .minute(minute)) }
            #expect(source.retryTime == ClockReading.minute(next).monotonic)
        }
        #expect(try serial(at: .minute(next)) == first.serial + 1)
    }

    @Test("A good answer after the pause ends the doubt: the next refusal is a first one again")
    func dispelled() throws {
        #expect(refuse(.expired, at: .minute(1)) == .secondChance)
        #expect(try serial(at: .minute(2)) == first.serial)
        source.accepted(serial: first.serial, at: .minute(2))
        // Another one could be made by now, and is not.
        #expect(try serial(at: .minute(21)) == first.serial)
        source.accepted(serial: first.serial, at: .minute(21))
        #expect(refuse(.throttled, at: .minute(22)) == .secondChance)
        #expect(try serial(at: .minute(22, second: 10)) == first.serial)
    }

    @Test("A good answer within the pause, to what was sent before, ends nothing")
    func tooSoon() throws {
        #expect(refuse(.expired, at: .minute(1)) == .secondChance)
        source.accepted(serial: first.serial, at: .minute(1, second: 1))
        #expect(throws: APNSSetupError.self) { try serial(at: .minute(1, second: 1)) }
        #expect(refuse(.expired, at: .minute(1, second: 2)) == .none)
    }

    @Test("Expired when another one may be made: that one is used at once, without a pause")
    func successor() throws {
        #expect(refuse(.expired, at: .minute(20)) == .successor)
        #expect(try serial(at: .minute(20)) == first.serial + 1)
    }

    @Test("Another one may be made within the pause: it is not waited for to the end")
    func successorWithinPause() throws {
        #expect(refuse(.expired, at: .minute(19, second: 59)) == .secondChance)
        #expect(throws: APNSSetupError.self) { try serial(at: .minute(19, second: 59)) }
        #expect(source.retryTime == ClockReading.minute(20).monotonic)
        #expect(try serial(at: .minute(20)) == first.serial + 1)
    }
}
