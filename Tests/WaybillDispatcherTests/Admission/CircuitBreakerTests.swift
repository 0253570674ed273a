import Testing
import WaybillFleet
import WaybillTelemetry
import WaybillThreads

@testable import WaybillDispatcher

/// Since when one lane sends or does not, in dates that nobody waits for.
@Suite struct CircuitBreakerTests {
    private static let start = MonotonicTime(nanoseconds: 1_000_000_000_000)
    private static let made: Int64 = 1_795_000_000_000

    /// Something that happens to a lane so many seconds after its breaker was made.
    enum Event: Sendable {
        case trip(after: Int64, began: Int64)
        case admit(after: Int64)
        case close(after: Int64)
        case inherit(since: Int64, isParked: Bool)
    }

    struct Case: CustomTestStringConvertible, Sendable {
        let what: String
        let events: [Event]
        /// Seconds after the breaker was made.
        let since: Int64
        let isParked: Bool

        var testDescription: String { what }
    }

    static let cases: [Case] = [
        Case(what: "a new one sends", events: [], since: 0, isParked: false),
        Case(what: "parked by what began before", events: [.trip(after: 90, began: 30)], since: 30, isParked: true),
        Case(
            what: "parked again keeps its begin",
            events: [.trip(after: 10, began: 10), .admit(after: 50), .trip(after: 55, began: 55)],
            since: 10,
            isParked: true
        ),
        Case(
            what: "a sound probe opens it",
            events: [.trip(after: 10, began: 10), .admit(after: 50), .close(after: 55)],
            since: 55,
            isParked: false
        ),
        Case(
            what: "a sound answer of one that sends is no news",
            events: [.close(after: 55)],
            since: 0,
            isParked: false
        ),
        Case(
            what: "an answer of before its pause is over opens none",
            events: [.trip(after: 10, began: 10), .close(after: 11)],
            since: 10,
            isParked: true
        ),
        Case(
            what: "parked in the configuration before, and nothing heard yet",
            events: [.inherit(since: -500, isParked: true)],
            since: -500,
            isParked: true
        ),
        Case(
            what: "parked in the configuration before, and again",
            events: [.inherit(since: -500, isParked: true), .trip(after: 10, began: 10)],
            since: -500,
            isParked: true
        ),
        Case(
            what: "parked in the configuration before, and sound now",
            events: [.inherit(since: -500, isParked: true), .close(after: 5), .trip(after: 10, began: 10)],
            since: 10,
            isParked: true
        ),
        Case(
            what: "sent in the configuration before",
            events: [.inherit(since: -500, isParked: false)],
            since: -500,
            isParked: false
        ),
        Case(
            what: "what was before is no news of one that is parked",
            events: [.trip(after: 10, began: 10), .inherit(since: -500, isParked: false)],
            since: 10,
            isParked: true
        ),
    ]

    @Test("its history has the right beginning", arguments: cases)
    func history(_ one: Case) {
        var breaker = CircuitBreaker(now: Self.start, date: Self.made)
        for event in one.events { Self.apply(event, to: &breaker) }
        let history = breaker.history
        #expect((history.since, history.isParked) == (Self.date(one.since), one.isParked))
    }

    @Test(
        "its begin is exact after a sound answer",
        arguments: [
            ([.trip(after: 10, began: 5)], false), ([.close(after: 3), .trip(after: 10, began: 5)], true),
            ([.inherit(since: -500, isParked: true), .trip(after: 10, began: 5)], false),
        ] as [([Event], Bool)]
    )
    func exact(events: [Event], isExact: Bool) {
        var breaker = CircuitBreaker(now: Self.start, date: Self.made)
        for event in events { Self.apply(event, to: &breaker) }
        var status = LaneStatus(name: "parcels")
        breaker.show(in: &status, now: Self.time(11), date: Self.date(11))
        #expect((status.state, status.isSinceExact) == (.parked, isExact))
    }

    private static func apply(_ event: Event, to breaker: inout CircuitBreaker) {
        switch event {
        case .trip(let after, let began):
            _ = breaker.trip(.refused, reason: "Forbidden", begin: date(began), now: time(after))
        case .admit(let after): _ = breaker.admit(now: time(after))
        case .close(let after): _ = breaker.close(now: time(after), date: date(after))
        case .inherit(let since, let isParked): breaker.inherit((since: date(since), isParked: isParked))
        }
    }

    private static func date(_ seconds: Int64) -> Int64 { made + seconds * 1000 }
    private static func time(_ seconds: Int64) -> MonotonicTime { start.advanced(by: .seconds(seconds)) }
}
