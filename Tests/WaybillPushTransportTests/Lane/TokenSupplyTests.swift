import Synchronization
import Testing
import WaybillThreads

@testable import WaybillPushTransport

@Suite("What the requests of a lane go out with")
struct TokenSupplyTests {
    private static func at(_ seconds: Int) -> ClockReading {
        ClockReading(monotonic: time(seconds), unixSeconds: 0)
    }

    private static func time(_ seconds: Int) -> MonotonicTime {
        MonotonicTime(nanoseconds: UInt64(seconds) * 1_000_000_000)
    }

    /// Asks, and collects what is reported.
    private static func ask(_ supply: inout TokenSupply, at seconds: Int, _ reports: inout [String]) -> Int? {
        supply.credential(at: at(seconds), whenReady: {}) { reports.append($0) }.map { $0.token?.serial ?? 0 }
    }

    private static let good = TokenAvailability.token(PushToken(serial: 7, authorization: []))

    struct Row: Sendable, CustomTestStringConvertible {
        let availability: TokenAvailability
        /// The serial that is sent with.
        var serial: Int?
        /// Seconds.
        var retry: Int?
        var problem: String?
        var reports: [String] = []

        var testDescription: String { "\(availability)" }
    }

    @Test(
        "Each answer of the source says what goes out, when to ask again, and what is reported",
        arguments: [
            Row(availability: good, serial: 7), Row(availability: .pending("soon"), problem: "soon"),
            Row(availability: .none("no key", retryAt: time(90)), retry: 90, problem: "no key", reports: ["no key"]),
            Row(availability: .none("no key", retryAt: nil), retry: 11, problem: "no key", reports: ["no key"]),
        ]
    )
    func answers(row: Row) {
        var supply = TokenSupply(Source(row.availability))
        var reports: [String] = []
        #expect(Self.ask(&supply, at: 10, &reports) == row.serial)
        #expect(supply.retry == row.retry.map(Self.time))
        #expect(supply.obstacle?.text == row.problem)
        #expect(reports == row.reports)
    }

    @Test("Without a source the connection says who sends")
    func certificate() {
        var supply = TokenSupply(nil)
        var reports: [String] = []
        #expect(Self.ask(&supply, at: 1, &reports) == 0)
        #expect(supply.obstacle == nil && reports.isEmpty)
    }

    @Test("A source that will say when it is ready is not asked before")
    func awaited() {
        let source = Source(.pending("soon"))
        var supply = TokenSupply(source)
        var reports: [String] = []
        for second in 1...3 { #expect(Self.ask(&supply, at: second, &reports) == nil) }
        #expect(source.asked == 1)
        source.availability = Self.good
        supply.mayBeReady()
        #expect(Self.ask(&supply, at: 4, &reports) == 7)
        #expect(supply.obstacle == nil)
        #expect(source.asked == 2)
    }

    @Test("Another source is asked at once")
    func replaced() {
        var supply = TokenSupply(Source(.pending("soon")))
        var reports: [String] = []
        _ = Self.ask(&supply, at: 1, &reports)
        supply.replace(with: Source(Self.good))
        #expect(Self.ask(&supply, at: 1, &reports) == 7)
        supply.replace(with: nil)
        #expect(Self.ask(&supply, at: 1, &reports) == 0)
    }

    @Test("A problem is reported once, and again after it was gone")
    func reported() {
        let source = Source(.none("no key", retryAt: nil))
        var supply = TokenSupply(source)
        var reports: [String] = []
        for second in 1...3 { _ = Self.ask(&supply, at: second, &reports) }
        #expect(reports == ["no key"])
        // A good token whose successor cannot be made: a problem of its own.
        source.availability = Self.good
        source.problem = "the signer hangs"
        for second in 4...5 { #expect(Self.ask(&supply, at: second, &reports) == 7) }
        #expect(reports == ["no key", "the signer hangs"])
        source.problem = nil
        _ = Self.ask(&supply, at: 6, &reports)
        source.problem = "the signer hangs"
        _ = Self.ask(&supply, at: 7, &reports)
        #expect(reports == ["no key", "the signer hangs", "the signer hangs"])
    }

    @Test("There has been no token since the first question that had none for an answer, whatever the reason is by now")
    func begin() {
        let source = Source(.pending("soon"))
        var supply = TokenSupply(source)
        var reports: [String] = []
        _ = Self.ask(&supply, at: 3, &reports)
        source.availability = .none("the key is refused", .key, retryAt: nil)
        supply.mayBeReady()
        _ = Self.ask(&supply, at: 8, &reports)
        #expect(supply.obstacle == PushObstacle(.key, "the key is refused", since: Self.time(3)))
        source.availability = Self.good
        #expect(Self.ask(&supply, at: 9, &reports) == 7)
        #expect(supply.obstacle == nil)
        source.availability = .pending("soon")
        _ = Self.ask(&supply, at: 12, &reports)
        #expect(supply.obstacle?.since == Self.time(12))
    }

    @Test("A refusal is the problem until the source is asked again; a time that has come is forgotten")
    func refusalsAndTimes() {
        let source = Source(.none("no key", retryAt: Self.time(20)))
        var supply = TokenSupply(source)
        var reports: [String] = []
        _ = Self.ask(&supply, at: 10, &reports)
        supply.noteRefusal("refused", at: Self.time(11))
        #expect(supply.obstacle?.text == "refused")
        supply.timePassed(Self.time(19))
        #expect(supply.retry == Self.time(20))
        supply.timePassed(Self.time(20))
        #expect(supply.retry == nil)
        _ = Self.ask(&supply, at: 20, &reports)
        #expect(supply.obstacle?.text == "no key")
    }
}

/// A source that has what a test says.
private final class Source: PushTokenSource {
    private let state: Mutex<(availability: TokenAvailability, problem: String?, asked: Int)>

    init(_ availability: TokenAvailability) {
        state = Mutex((availability, nil, 0))
    }

    var availability: TokenAvailability {
        get { state.withLock { $0.availability } }
        set { state.withLock { $0.availability = newValue } }
    }

    var problem: String? {
        get { state.withLock { $0.problem } }
        set { state.withLock { $0.problem = newValue } }
    }

    var asked: Int { state.withLock { $0.asked } }

    func token(at now: ClockReading, whenReady: @escaping @Sendable () -> Void) -> TokenAvailability {
        state.withLock { state in
            state.asked += 1
            return state.availability
        }
    }

    func refused(
        serial: Int,
        _ refusal: TokenRefusal,
        sentAt: MonotonicTime,
        at now: ClockReading,
        whenReady: @escaping @Sendable () -> Void
    ) -> TokenProspect { .none }

    func accepted(serial: Int, at now: ClockReading) {}
}
