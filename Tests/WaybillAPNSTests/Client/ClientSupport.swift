import Testing
import WaybillAPNS
import WaybillSimulator
import WaybillThreads

extension Rehearsal {
    /// A client of the simulator.
    func client(
        connections: Int = 1,
        observer: (any APNSObserver)? = nil,
        adjust: (inout APNSConfiguration) -> Void = { _ in }
    ) throws -> APNSClient {
        var lane = try lane(connections: connections)
        adjust(&lane)
        return try APNSClient(lane, observer: observer)
    }

    /// The device tokens that the simulator has seen, however often.
    var seenTokens: Set<String> { Set(server.recordedRequests.compactMap(\.deviceToken)) }
}

extension Fixture {
    /// A notification that passes every check of a strict server, with an id that tells its number.
    static func notification(_ number: Int = 0, prefix: String = "") -> APNSNotification {
        var notification = APNSNotification(
            to: token(number, prefix: prefix),
            payload: Array(#"{"aps":{"alert":"Your parcel is here"}}"#.utf8),
            pushType: .alert
        )
        notification.apnsID = id(number)
        return notification
    }

    static func id(_ number: Int) -> APNSID {
        APNSID(high: 0x0193_4d5e_6f70_8000, low: 0x8000_0000_0000_0000 | UInt64(number))
    }

    static func notifications(_ count: Int, prefix: String = "") -> [APNSNotification] {
        (0..<count).map { notification($0, prefix: prefix) }
    }
}

/// Waits until something is so.
func wait(within limit: Duration = .seconds(30), until isSo: () throws -> Bool) async throws {
    let deadline = MonotonicTime.now().advanced(by: limit)
    while try !isSo() {
        try #require(MonotonicTime.now() < deadline, "waited in vain")
        try? await Task.sleep(for: .milliseconds(2))
    }
}

/// What became of a number of notifications, each of which must have exactly one outcome.
struct Tally {
    private(set) var accepted: Set<Int> = []
    private(set) var refused: [Int: APNSResponse] = [:]
    private(set) var errors: [Int: APNSError] = [:]
    private(set) var repeats = 0

    var count: Int { accepted.count + refused.count + errors.count }
    var notSent: [Int] { errors.filter { $0.value.fate == .notSent }.map(\.key) }
    var unknown: [Int] { errors.filter { $0.value.fate == .unknown }.map(\.key) }
    var codes: Set<APNSError.Code> { Set(errors.values.map(\.code)) }

    init() {}

    mutating func add(_ index: Int, _ result: Result<APNSResponse, APNSError>) {
        if accepted.contains(index) || refused[index] != nil || errors[index] != nil { repeats += 1 }
        switch result {
        case .success(let response) where response.isAccepted: accepted.insert(index)
        case .success(let response): refused[index] = response
        case .failure(let error): errors[index] = error
        }
    }

    mutating func add(_ outcome: APNSBatch.Outcome) {
        #expect(outcome.apnsID == Fixture.id(outcome.index))
        add(outcome.index, outcome.result)
    }

    /// Every notification has one outcome, and what was not sent was not seen.
    func addsUp(to total: Int, at rehearsal: Rehearsal) {
        #expect(repeats == 0)
        #expect(count == total)
        let seen = rehearsal.seenTokens
        #expect(notSent.allSatisfy { !seen.contains(Fixture.token($0)) })
        #expect(accepted.allSatisfy { seen.contains(Fixture.token($0)) })
    }
}
