import Testing
import WaybillAMQP

struct AlarmSpellTests {
    /// Asked anew every few seconds, and by a new connection that knows nothing yet.
    @Test func anAlarmIsNewsOnceAndSoIsItsEnd() {
        let start = ContinuousClock.now
        var spell = AlarmSpell()
        let findings: [(Int, ProbedPublisher.Finding, AlarmSpell.Change?)] = [
            (0, .unknown, nil), (1, .takes, nil), (2, .blocked("memory"), .began("memory")),
            (3, .blocked("memory"), nil), (4, .unknown, nil), (5, .blocked("disk"), nil), (6, .unknown, nil),
            (9, .takes, .ended(after: .seconds(7))), (10, .takes, nil), (11, .blocked("disk"), .began("disk")),
            (12, .takes, .ended(after: .seconds(1))),
        ]
        for (second, finding, change) in findings {
            #expect(spell.note(finding, now: start + .seconds(second)) == change, "\(second)")
        }
    }
}
