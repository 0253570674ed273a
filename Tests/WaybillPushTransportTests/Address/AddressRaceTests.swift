import Testing
import WaybillThreads

@testable import WaybillPushTransport

@Suite("Trying the addresses of a host, in virtual time")
struct AddressRaceTests {
    private static let start = MonotonicTime(nanoseconds: 1_000_000_000_000)

    private static func at(_ milliseconds: Int) -> MonotonicTime {
        start.advanced(by: .milliseconds(milliseconds))
    }

    private static func race(_ count: Int) -> AddressRace {
        AddressRace(count: count, spacing: .milliseconds(250), at: start, until: at(10_000))
    }

    @Test("Each address starts a little after the one before")
    func spacing() {
        var race = Self.race(3)
        #expect(race.nextDeadline == Self.start)
        let steps = [0, 0, 249, 250, 251, 500, 5000].map { race.advance(at: Self.at($0)) }
        #expect(steps == [.start(0), .nothing, .nothing, .start(1), .nothing, .start(2), .nothing])
        #expect(race.nextDeadline == Self.at(10_000))
        let end = race.advance(at: Self.at(10_000))
        #expect(end == .lost("no connection in time"))
    }

    @Test("When the last one under way fails, the next starts at once; another under way is waited for")
    func failure() {
        var race = Self.race(3)
        _ = race.advance(at: Self.start)
        let second = race.failed(0, error: "refused", at: Self.at(5))
        #expect(second == .start(1))
        let third = race.advance(at: Self.at(255))
        #expect(third == .start(2))
        let waits = race.failed(1, error: "unreachable", at: Self.at(260))
        #expect(waits == .nothing)
        let lost = race.failed(2, error: "refused", at: Self.at(270))
        #expect(lost == .lost("refused"))
    }

    @Test("An address that is not under way cannot fail")
    func strangers() {
        var race = Self.race(2)
        _ = race.advance(at: Self.start)
        let step = race.failed(1, error: "refused", at: Self.start)
        #expect(step == .nothing)
    }
}

@Suite("The order and memory of addresses")
struct AddressBookTests {
    private static let start = MonotonicTime(nanoseconds: 1_000_000_000_000)

    private static func address(_ text: String) throws -> SocketAddress {
        try #require(SocketAddress.literal(text, port: 443))
    }

    private static func addresses(_ texts: String...) throws -> [SocketAddress] {
        try texts.map(address)
    }

    @Test("Families take turns, beginning with the preferred one, and each family rotates")
    func order() throws {
        let found = try Self.addresses("2001:db8::1", "2001:db8::2", "192.0.2.1", "192.0.2.2", "192.0.2.3")
        #expect(
            AddressOrder.spread(found, rotation: 0)
                == (try Self.addresses("2001:db8::1", "192.0.2.1", "2001:db8::2", "192.0.2.2", "192.0.2.3"))
        )
        #expect(
            AddressOrder.spread(found, rotation: 1)
                == (try Self.addresses("2001:db8::2", "192.0.2.2", "2001:db8::1", "192.0.2.3", "192.0.2.1"))
        )
        #expect(AddressOrder.spread([], rotation: 3).isEmpty)
    }

    @Test("An address that failed is left alone, and the others are tried at once")
    func oneFails() throws {
        var backoff = AddressBackoff(delays: ReconnectDelays())
        let found = try Self.addresses("192.0.2.1", "192.0.2.2")
        _ = backoff.candidates(found, at: Self.start)
        backoff.failed(found[0], at: Self.start, jitter: 1)
        #expect(backoff.notBefore == nil)
        let next = backoff.candidates(found, at: Self.start)
        #expect(next == [found[1]])
        let later = backoff.candidates(found, at: Self.start.advanced(by: .milliseconds(250)))
        #expect(Set(later) == Set(found))
    }

    @Test("When all failed, the first to be free says when, and its delays grow until it proves itself")
    func allFail() throws {
        var backoff = AddressBackoff(delays: ReconnectDelays())
        let found = try Self.addresses("192.0.2.1", "192.0.2.2")
        _ = backoff.candidates(found, at: Self.start)
        var delays: [Duration] = []
        for _ in 0..<10 {
            for address in found { backoff.failed(address, at: Self.start, jitter: 1) }
            delays.append(try #require(backoff.notBefore).duration(since: Self.start))
        }
        #expect(delays[0] == .milliseconds(250))
        #expect(delays[1] == .milliseconds(500))
        #expect(delays == delays.sorted())
        #expect(delays.last == .seconds(30))
        let all = backoff.candidates(found, at: Self.start)
        #expect(Set(all) == Set(found))
        backoff.proved(found[0])
        #expect(backoff.notBefore == nil)
        backoff.failed(found[0], at: Self.start, jitter: 0)
        #expect(backoff.notBefore == Self.start.advanced(by: .milliseconds(125)))
    }

    @Test(
        "A connection that stood longer than the longest delay ends what its address failed before",
        arguments: [(0, 500), (30_000, 500), (30_001, 250), (300_000, 250)]
    )
    func stood(milliseconds: Int, delay: Int) throws {
        var backoff = AddressBackoff(delays: ReconnectDelays())
        let found = try Self.addresses("192.0.2.1")
        _ = backoff.candidates(found, at: Self.start)
        backoff.failed(found[0], at: Self.start, jitter: 1)
        backoff.failed(found[0], after: .milliseconds(milliseconds), at: Self.start, jitter: 1)
        #expect(backoff.notBefore == Self.start.advanced(by: .milliseconds(delay)))
    }

    @Test("A name that cannot be looked up has a delay of its own, which the next look-up ends")
    func name() throws {
        var backoff = AddressBackoff(delays: ReconnectDelays())
        backoff.failed(nil, at: Self.start, jitter: 1)
        backoff.failed(nil, at: Self.start, jitter: 1)
        #expect(backoff.notBefore == Self.start.advanced(by: .milliseconds(500)))
        _ = backoff.candidates(try Self.addresses("192.0.2.1"), at: Self.start)
        #expect(backoff.notBefore == nil)
    }
}
