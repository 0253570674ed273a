import Glibc
import Testing
import WaybillAPNS
import WaybillSimulator
import WaybillThreads

/// Whether memory stays where it is, however much is sent.
///
/// `WAYBILL_SOAK_REQUESTS` makes the run longer.
@Suite("Memory", .serialized)
struct MemoryTests {
    private static let requests = getenv("WAYBILL_SOAK_REQUESTS").flatMap { Int(String(cString: $0)) } ?? 40_000
    private static let batch = 1000
    /// What the heap may grow by: less than 26 bytes for each request of the short run, a fifth of a byte in a million.
    private static let allowance = 1 << 20

    @Test("A long run leaves the heap as it was after the first thousands")
    func longRun() throws {
        let rehearsal = try Rehearsal { configuration in
            configuration.answersConstantly = true
            configuration.keepsRequests = false
        }
        let outcomes = OutcomeCounter()
        let driver = try APNSDriver(
            name: "wb-apns-soak",
            lanes: [rehearsal.lane(connections: 2)],
            observer: Listener()
        ) { _, ended in outcomes.count(ended) }
        func run(_ count: Int) throws {
            let goal = outcomes.total + count
            for start in stride(from: 0, to: count, by: Self.batch) {
                let requests = (start..<(start + Self.batch)).map { Fixture.request(index: $0 % 100_000) }
                driver.submit([APNSRequestBatch(owner: NumberedOwner(0), requests: requests)], lane: 0)
                try #require(outcomes.wait(for: goal - count + start - 4 * Self.batch))
            }
            try #require(outcomes.wait(for: goal))
        }
        try run(10 * Self.batch)
        let before = ProcessMemory.heapInUse
        try run(Self.requests / Self.batch * Self.batch)
        let growth = ProcessMemory.heapInUse - before
        #expect(growth < Self.allowance, "the heap grew by \(growth) bytes over \(Self.requests) requests")
        #expect(outcomes.accepted == outcomes.total)
        driver.close(grace: .seconds(10))
        driver.join()
    }
}
