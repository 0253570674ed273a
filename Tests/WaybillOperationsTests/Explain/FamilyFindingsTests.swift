import Testing
import WaybillCore
import WaybillDeliveryLog
import WaybillEncoding
import WaybillFleet
import WaybillMongo
import WaybillReceipts

@testable import WaybillOperations

/// What a story tells of a notification that is sent again until somebody acknowledges it.
struct FamilyFindingsTests {
    private static let begins: Int64 = 1_790_000_000_000
    private static let first = NotificationID(high: 7, low: 1)

    private static func record(
        _ number: Int,
        client: String? = "acme",
        batch: String? = nil,
        content: String? = nil,
        outcome: Outcome = .accepted
    ) -> LoggedDelivery {
        let member = FamilyMember(first: first, number: number, limit: 5, begins: begins)
        let id = number == 0 ? first : member.id(interval: 60)
        return LoggedDelivery(
            document: BSONDocument { writer in
                writer.append("_id", uuid: id.high, id.low)
                writer.append("outcome", string: outcome.rawValue)
                if let client { writer.append("client", string: client) }
                if let batch { writer.append("batch_id", string: batch) }
                if let content { writer.append("content", string: content) }
                guard number > 0 else { return }
                writer.append("family") { family in
                    family.append("first", uuid: first.high, first.low)
                    family.append("number", int: number)
                    family.append("of", int: 5)
                }
            }
        )
    }

    private static func text(
        _ number: Int,
        of family: RepeatedFamily?,
        acknowledged: Int? = nil,
        after: Int64 = 0
    ) -> String? {
        let receipt = acknowledged.flatMap { place in
            family.map { DeliveryReceipt(id: $0.members[place].id, event: .acknowledged, receivedAt: begins + 90_000) }
        }
        return FamilyFindings(
            families: family.map { [first: $0] } ?? [:],
            acknowledged: receipt.map { [first: $0] } ?? [:],
            now: begins + after
        )
        .step(of: record(number))?.text
    }

    private static func family(_ number: Int, due: Int64? = nil, end: FamilyEnd? = nil) -> RepeatedFamily {
        RepeatedFamily(
            first: first,
            client: "acme",
            rule: RepeatRule(interval: 60, limit: 5),
            begins: begins,
            number: number,
            due: due.map { begins + $0 },
            end: end,
            endedAt: end.map { _ in begins + 120_000 }
        )
    }

    @Test func whatIsSentOnceHasNone() {
        #expect(Self.text(0, of: nil) == nil)
    }

    @Test func aRepeatWhoseFamilyIsGoneSaysWhatItIs() {
        #expect(Self.text(2, of: nil) == "repeat 2 of 5 of \(Self.first)")
    }

    @Test func anAcknowledgementStopsItAtOnce() {
        // Nobody has looked at the family since.
        let family = Self.family(2, due: 180_000)
        let stopped = "stopped because acknowledged at 2026-09-21T14:14:50.000Z"
        #expect(
            Self.text(0, of: family, acknowledged: 0)
                == "sent again 2 times, 5 at the most, every 60 s; \(stopped), by the first"
        )
        #expect(
            Self.text(2, of: family, acknowledged: 1) == "repeat 2 of 5 of \(Self.first); \(stopped), by repeat 1"
        )
    }

    @Test func whatGoesOnSaysWhen() {
        #expect(
            Self.text(0, of: Self.family(0, due: 60_000))
                == "not sent again yet, 5 at the most, every 60 s; the next look is due at 2026-09-21T14:14:20.000Z"
        )
        for (after, isLate) in [(80_000, false), (80_001, true)] as [(Int64, Bool)] {
            let text = Self.text(1, of: Self.family(1, due: 60_000), after: after)
            #expect(text?.hasSuffix("and nobody took it: is waybill schedule running?") == isLate)
        }
    }

    /// Two clients may choose one id at the same moment.
    @Test(arguments: [0, 2], ["rival", nil] as [String?])
    func anotherClientsFamilyIsNotTold(number: Int, client: String?) {
        let findings = FamilyFindings(
            families: [Self.first: Self.family(2, due: 180_000)],
            acknowledged: [:],
            now: Self.begins
        )
        let record = Self.record(number, client: client)
        #expect(findings.step(of: record)?.text == (number == 0 ? nil : "repeat 2 of 5 of \(Self.first)"))
        #expect(!findings.isUnderWay(record) && findings.isUnderWay(Self.record(number)))
    }

    /// Or one client for two notifications.
    @Test func theFamilyOfAnotherNotificationIsNotTold() {
        var family = Self.family(2, due: 180_000)
        family.content = 7
        let findings = FamilyFindings(families: [Self.first: family], acknowledged: [:], now: Self.begins)
        #expect(findings.isUnderWay(Self.record(0, content: "0000000000000007")))
        #expect(
            !findings.isUnderWay(Self.record(0, content: "0000000000000008")) && !findings.isUnderWay(Self.record(0))
        )
        // A repeat's id is derived.
        #expect(findings.isUnderWay(Self.record(2)))
    }

    /// What was acknowledged, has ended or was cancelled is not sent again.
    @Test func whatIsStillSentAgainIsKnown() {
        func isUnderWay(_ family: RepeatedFamily?, isAcknowledged: Bool = false, cancelled: Int64? = nil) -> Bool {
            let receipt = DeliveryReceipt(id: Self.first, event: .acknowledged, receivedAt: Self.begins)
            var findings = FamilyFindings(
                families: family.map { [Self.first: $0] } ?? [:],
                acknowledged: isAcknowledged ? [Self.first: receipt] : [:],
                now: Self.begins
            )
            findings.cancellations =
                cancelled.map { after in
                    let source = OrderSource(name: "anna@push-1", date: Self.begins + after)
                    return [Cancellation(batch: BatchName("alarm"), client: nil, source: source)]
                } ?? []
            return findings.isUnderWay(Self.record(0, batch: "alarm"))
        }
        let family = Self.family(1, due: 60_000)
        #expect(isUnderWay(family) && !isUnderWay(nil) && !isUnderWay(Self.family(1, end: .limit)))
        #expect(!isUnderWay(family, isAcknowledged: true))
        #expect(!isUnderWay(family, cancelled: 1000) && isUnderWay(family, cancelled: -1000))
    }

    @Test(arguments: FamilyEnd.allCases) func whatHasEndedSaysWhy(_ end: FamilyEnd) {
        let text = Self.text(0, of: Self.family(1, end: end))
        let sent = end == .cancelled ? "not sent again" : "sent again once"
        #expect(
            text?.hasPrefix("\(sent), 5 at the most, every 60 s; ended at 2026-09-21T14:15:20.000Z: ") == true
        )
    }

    private static func order(_ after: Int64, client: String? = nil, by name: String = "anna@push-1") -> Cancellation {
        let source = OrderSource(name: name, date: begins + after, note: "wrong text")
        return Cancellation(batch: BatchName("alarm"), client: client, source: source)
    }

    /// Each of a family says so, with what was sent of it: a repeat that was cancelled was not.
    @Test func aCancelledFamilySaysByWhomAndCountsNoCancelledRepeat() {
        func told(_ family: RepeatedFamily, _ set: (inout FamilyFindings) -> Void) -> [String?] {
            var findings = FamilyFindings(families: [Self.first: family], acknowledged: [:], now: Self.begins)
            let last = Self.record(family.number, batch: "alarm", outcome: .cancelled)
            set(&findings)
            return [Self.record(0, batch: "alarm"), last].map { findings.step(of: $0)?.text }
        }
        let by = "its batch was cancelled by anna@push-1 at 2026-09-21T14:13:50.000Z (wrong text)"
        let (sent, last) = ("sent again once, 5 at the most, every 60 s", "repeat 2 of 5 of \(Self.first)")
        let ended = Self.family(2, end: .cancelled)
        let at = "ended at 2026-09-21T14:15:20.000Z"
        #expect(
            told(ended) { $0.cancellations = [Self.order(30_000)] } == [
                "\(sent); \(at): \(by)", "\(last); \(at): \(by)",
            ]
        )
        // Taken back since, or followed by another one.
        #expect(
            told(ended) {
                $0.lifted = [Self.order(30_000)]
                $0.cancellations = [Self.order(150_000, by: "ben@push-1")]
            } == ["\(sent); \(at): \(by)", "\(last); \(at): \(by)"]
        )
        let unknown = "\(at): its batch was cancelled"
        #expect(told(ended) { _ in } == ["\(sent); \(unknown)", "\(last); \(unknown)"])
        // Nobody has looked at it since.
        let due = Self.family(2, due: 180_000)
        #expect(
            told(due) {
                $0.cancellations = [Self.order(30_000)]
                $0.note([Self.record(2, batch: "alarm", outcome: .cancelled)])
            } == ["\(sent); stopped because \(by)", "\(last); stopped because \(by)"]
        )
        // Before its next repeat comes to a dispatcher.
        #expect(
            told(due) { $0.cancellations = [Self.order(30_000)] }.first
                == "sent again 2 times, 5 at the most, every 60 s; stopped because \(by)"
        )
        // Who gave an order for all is nobody's business but the operator's.
        #expect(
            told(due) {
                $0.cancellations = [Self.order(30_000)]
                $0.scope = .clients(["acme"])
            }.last == "\(last); stopped because its batch was cancelled"
        )
        #expect(
            told(Self.family(0, end: .cancelled)) { _ in }.first
                == "not sent again, 5 at the most, every 60 s; \(unknown)"
        )
    }

    /// An order of which a family is no part, and one that came when all was over.
    @Test func anOrderThatIsNotAboutAFamilyIsNotTold() {
        for (family, order) in [
            (Self.family(1, due: 60_000), Self.order(-30_000)), (Self.family(1, end: .limit), Self.order(30_000)),
            (Self.family(1, due: 60_000), Self.order(30_000, client: "rival")),
        ] {
            var findings = FamilyFindings(families: [Self.first: family], acknowledged: [:], now: Self.begins)
            findings.cancellations = [order]
            #expect(findings.step(of: Self.record(0, batch: "alarm"))?.text.contains("cancelled") == false)
        }
    }

    @Test(
        arguments: [
            (.accepted, 2), (.unknown, 2), (.deferred, 2), (.rejected, 2), (.tokenInvalid, 2), (.cancelled, 1),
            (.superseded, 1), (.expired, 1), (.invalid, 1),
        ] as [(Outcome, Int)]
    )
    func whatWasNotSentIsNotCounted(outcome: Outcome, sent: Int) {
        #expect(Self.family(2, due: 60_000).sent(last: outcome) == sent)
        #expect(
            Self.family(2, end: .limit).sent(last: nil) == 2 && Self.family(2, end: .cancelled).sent(last: nil) == 1
        )
    }

    /// A look that only ends a family sends nothing.
    @Test func aRepeatIsDueWhereOneIsToBeSent() {
        func isDue(_ family: RepeatedFamily, _ last: Outcome? = .accepted) -> Bool {
            family.hasNext(last: last, now: Self.begins)
        }
        let family = Self.family(1, due: 60_000)
        #expect(isDue(family) && isDue(family, nil) && isDue(family, .deferred) && isDue(family, .unknown))
        #expect(isDue(family, .superseded))
        #expect(!isDue(family, .cancelled) && !isDue(family, .tokenInvalid) && !isDue(family, .rejected))
        #expect(!isDue(Self.family(5, due: 60_000)) && !isDue(Self.family(1, end: .limit)))
        var late = family
        late.ends = Self.begins
        #expect(!isDue(late))
        late.ends = Self.begins + 1
        #expect(isDue(late))
    }
}
