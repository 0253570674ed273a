import Testing
import WaybillProviders
import WaybillTelemetry
import WaybillThreads

@testable import WaybillDispatcher

/// In virtual time.
struct PutOffMemoryTests {
    private func answers(_ count: Int, status: Int = 503, word: String? = "ServiceUnavailable") -> PutOffAnswers {
        var answers = PutOffAnswers()
        for _ in 0..<count { answers.count(status: status, word: word) }
        return answers
    }

    private func text(_ recent: PutOffMemory.Recent, provider: ProviderName = .apns) -> String {
        PutOffTrouble(lane: "calls", provider: provider, recent: recent).trouble.text
    }

    /// Accepted, put off, refused for good within five seconds.
    @Test(arguments: [
        (0, 10, 0, true), (0, 9, 0, false), (1, 30, 0, true), (2, 30, 0, false), (0, 30, 20, true), (0, 20, 30, false),
        (0, 0, 50, false), (500, 0, 0, false), (0, 0, 0, false),
    ])
    func onlyALaneOfWhichNextToNothingIsTakenIsToldOf(accepted: Int, putOff: Int, refused: Int, isTold: Bool) {
        var memory = PutOffMemory()
        _ = memory.take(answered: 1000, accepted: 900, putOff: answers(0), now: .at(0))
        let recent = memory.take(
            answered: 1000 + accepted + putOff + refused,
            accepted: 900 + accepted,
            putOff: answers(putOff),
            now: .at(5)
        )
        #expect((recent != nil) == isTold)
    }

    @Test(arguments: [(429, true), (500, true), (503, true), (400, false), (403, false), (410, false)])
    func anAnswerAboutThePushPutsNothingOff(status: Int, isCounted: Bool) {
        #expect(answers(1, status: status).counts.isEmpty == !isCounted)
    }

    @Test func itIsToldOfUntilPushesAreTakenAgain() {
        var memory = PutOffMemory()
        _ = memory.take(answered: 0, accepted: 0, putOff: answers(0), now: .at(0))
        let first = memory.take(answered: 120, accepted: 0, putOff: answers(120), now: .at(5))
        #expect(
            first.map { text($0) }
                == "lane calls: 120 of the last 120 answers put pushes off: 503 ServiceUnavailable; they are tried again by themselves"
        )
        // Everything waits for another attempt; then some are put off again, fewer than would show it the first time.
        #expect(memory.take(answered: 120, accepted: 0, putOff: answers(120), now: .at(40)) != nil)
        #expect(memory.take(answered: 123, accepted: 0, putOff: answers(123), now: .at(45)) != nil)
        #expect(memory.take(answered: 133, accepted: 10, putOff: answers(123), now: .at(50)) == nil)
        #expect(memory.take(answered: 133, accepted: 10, putOff: answers(123), now: .at(55)) == nil)
    }

    /// A steady stream of a hundred answers a second, which turns from good to bad.
    @Test func whatTurnsBadIsToldOfWithinSixSeconds() throws {
        var memory = PutOffMemory()
        var told: Int?
        for second in 0...40 {
            let bad = max(0, second - 20) * 100
            let recent = memory.take(
                answered: second * 100,
                accepted: min(second, 20) * 100,
                putOff: answers(bad),
                now: .at(second)
            )
            if recent != nil { told = told ?? second }
        }
        #expect(try #require(told) <= 26)
    }

    @Test func whereNoAnswerComesItIsForgotten() {
        var memory = PutOffMemory()
        _ = memory.take(answered: 0, accepted: 0, putOff: answers(0), now: .at(0))
        _ = memory.take(answered: 50, accepted: 0, putOff: answers(50), now: .at(5))
        #expect(memory.take(answered: 50, accepted: 0, putOff: answers(50), now: .at(180)) != nil)
        #expect(memory.take(answered: 50, accepted: 0, putOff: answers(50), now: .at(400)) == nil)
    }

    @Test(arguments: [
        (ProviderName.apns, 503, "ServiceUnavailable" as String?, "developer.apple.com/system-status"),
        (.apns, 429, "TooManyRequests", "Too many notifications in a row to this one device."),
        (.fcm, 503, "UNAVAILABLE", "status.firebase.google.com"), (.fcm, 502, nil, "FCM itself has trouble"),
        (.fcm, 429, "QUOTA_EXCEEDED", "600,000 for a project"),
    ])
    func theAdviceGoesByWhatIsSaid(provider: ProviderName, status: Int, word: String?, words: String) {
        let recent = PutOffMemory.Recent(
            answers: 30,
            accepted: 0,
            putOff: 30,
            words: answers(30, status: status, word: word).since(PutOffAnswers())
        )
        let trouble = PutOffTrouble(lane: "calls", provider: provider, recent: recent).trouble
        #expect(trouble.text.contains(": \(status)\(word.map { " \($0)" } ?? "");"))
        #expect(trouble.advice?.contains(words) == true, "\(trouble.advice ?? "")")
    }
}
