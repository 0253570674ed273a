import Logging
import Synchronization
import Testing

@testable import WaybillTelemetry

/// In virtual time: instants are counted from one start.
struct LineBudgetTests {
    private let start = ContinuousClock.now

    /// Lines at once, then lines after a pause: which are written, and what the first of these says was left out.
    @Test(arguments: [
        (atOnce: 50, written: 50, pause: 0, next: LineBudget.Decision.suppress),
        (atOnce: 51, written: 50, pause: 1, next: .write(suppressed: 1)),
        (atOnce: 1_000, written: 50, pause: 1, next: .write(suppressed: 950)),
        (atOnce: 1_000, written: 50, pause: 3_600, next: .write(suppressed: 950)),
        (atOnce: 10, written: 10, pause: 0, next: .write(suppressed: 0)),
    ])
    func aKindHasABurstAndThenOneASecond(atOnce: Int, written: Int, pause: Int, next: LineBudget.Decision) {
        var budget = LineBudget()
        let kind = LineKind(name: "dispatch.bodyRejected")
        let decisions = (0..<atOnce).map { _ in budget.decide(kind, now: start) }
        #expect(decisions.count { $0 == .write(suppressed: 0) } == written)
        #expect(budget.decide(kind, now: start + .seconds(pause)) == next)
    }

    @Test func anHourOfAFloodIsALineASecond() {
        var budget = LineBudget()
        let kind = LineKind(name: "dispatch.storeFailed")
        var written = 0
        var suppressed = 0
        for step in 0..<360_000 {
            switch budget.decide(kind, now: start + .milliseconds(10 * step)) {
            case .write(let count):
                written += 1
                suppressed += count
            case .suppress: break
            }
        }
        #expect(written == LineBudget.burst + 3_599)
        #expect(written + suppressed > 359_800)
    }

    @Test(arguments: [
        LineKind(name: "dispatch.storeFailed"), LineKind(name: "dispatch.apnsFailed", lane: "other"),
        LineKind(name: "dispatch.apnsFailed", lane: "parcels", reason: "other"),
    ])
    func oneKindHidesNoOther(other: LineKind) {
        var budget = LineBudget()
        let flood = LineKind(name: "dispatch.apnsFailed", lane: "parcels", reason: "refused")
        for _ in 0..<10_000 { _ = budget.decide(flood, now: start) }
        #expect(budget.decide(other, now: start) == .write(suppressed: 0))
    }

    @Test func namesFromOutsideCannotFillTheMemory() {
        var budget = LineBudget()
        var written = 0
        for number in 0..<100_000 {
            let kind = LineKind(name: "dispatch.unknownClient", reason: "\(number)")
            if budget.decide(kind, now: start) != .suppress { written += 1 }
        }
        #expect(written == LineBudget.mostKinds + LineBudget.burst)
        #expect(budget.decide(LineKind(name: "dispatch.storeFailed"), now: start) == .write(suppressed: 0))
    }

    @Test func theNextLineSaysHowManyWereLeftOut() {
        let lines = Mutex<[String]>([])
        let shift = Mutex(Duration.zero)
        let destination = LineDestination { line in lines.withLock { $0.append(line) } }
        let logger = Logger(label: "waybill") { [start] label in
            LimitedLogHandler(JSONLogHandler(label: label, level: .debug, destination: destination)) {
                start + shift.withLock { $0 }
            }
        }
        for _ in 0..<60 { logger.warning("Flood", metadata: ["event": "a"]) }
        for _ in 0..<60 { logger.debug("Detail", metadata: ["event": "b"]) }
        #expect(lines.withLock { $0.count } == LineBudget.burst + 60)
        shift.withLock { $0 = .seconds(1) }
        logger.warning("Flood", metadata: ["event": "a"])
        #expect(lines.withLock { $0.last?.contains("\"suppressed\":10") } == true)
    }
}
