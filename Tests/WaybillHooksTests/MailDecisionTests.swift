import Testing
import WaybillTransfer

@testable import WaybillHooks
@testable import WaybillOutbox

@Suite("What becomes of a mail")
struct MailDecisionTests {
    private static let now: Int64 = 1_700_000_000_000
    private static let day: Int64 = 86_400_000

    private func mail(attempt: Int = 1, age: Int64 = 0, notAfter: Int64? = nil, isWhole: Bool = true) throws
        -> ClaimedMail
    {
        ClaimedMail(
            id: "a",
            mail: isWhole ? try Mail(to: try MailAddress("a@b"), subject: "s", paragraphs: ["p"]) : nil,
            createdAt: Self.now - age,
            notAfter: notAfter,
            attempt: attempt,
            lease: "l"
        )
    }

    @Test("what is not sent at all")
    func before() throws {
        #expect(try MailDecision.before(mail(), now: Self.now) == nil)
        #expect(try MailDecision.before(mail(attempt: 10, age: 4 * Self.day), now: Self.now) == nil)
        #expect(try MailDecision.before(mail(notAfter: Self.now + 1), now: Self.now) == nil)
        for refused in try [
            mail(isWhole: false), mail(notAfter: Self.now), mail(age: 4 * Self.day + 1), mail(attempt: 11),
        ] {
            guard case .giveUp = MailDecision.before(refused, now: Self.now) else {
                Issue.record("it would be sent: \(refused)")
                continue
            }
        }
    }

    @Test("a server that takes no mail costs no attempt, a refusal for good the mail, anything else its time")
    func after() throws {
        var generator = SystemRandomNumberGenerator()
        func after(_ fault: MailTransferError.Fault, _ mail: ClaimedMail) -> MailDecision {
            MailDecision.after(MailTransferError(fault, "why"), mail, now: Self.now, using: &generator)
        }
        #expect(try after(.server, mail(attempt: 10)) == .serverIsAway(retryAt: Self.now + 5000, reason: "why"))
        #expect(try after(.mailForGood, mail()) == .giveUp(reason: "why"))
        #expect(try after(.mail, mail(attempt: 10)) == .giveUp(reason: "why"))
        // The next attempt would come when nobody wants it any more.
        #expect(try after(.mail, mail(attempt: 2, notAfter: Self.now + 200_000)) == .giveUp(reason: "why"))
        guard case .later(let due, "why") = try after(.mail, mail(attempt: 2, notAfter: Self.now + 400_000)) else {
            Issue.record("not later")
            return
        }
        #expect((270_000...330_000).contains(due - Self.now))
    }
}
