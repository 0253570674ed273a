import HTTPTypes
import Testing
import WaybillMongo
import WaybillThreads

@testable import WaybillHTTPAPI

/// Who has the threads that ask the store, and who waits; nobody asks a real one.
@Suite(.timeLimit(.minutes(2)))
struct StoreWorkersTests {
    /// A question that takes until it is told to end.
    private final class Slow: Sendable {
        private let began = Guarded(0)
        private let isOver = SharedFlag()

        var count: Int { began.withLock { $0 } }

        func end() { isOver.set() }

        /// *Blocking:* its thread.
        func hold() {
            began.withLock { $0 += 1 }
            NamedThread.sleep(for: .seconds(60)) { isOver.isSet }
        }
    }

    private final class Order: Sendable {
        private let seen = Guarded<[Int]>([])

        var numbers: [Int] { seen.withLock { $0 } }

        func add(_ number: Int) { seen.withLock { $0.append(number) } }
    }

    private func withWorkers(
        _ limits: StoreWorkers.Limits,
        _ body: (StoreWorkers) async throws -> Void
    ) async throws {
        let pool = try MongoPool(url: APIRig.nowhere, applicationName: "test", maximumClients: limits.threads)
        let workers = try StoreWorkers(name: "test", pool: pool, limits: limits)
        defer { workers.stop() }
        try await body(workers)
    }

    private func eventually(_ condition: () -> Bool) async throws -> Bool {
        let deadline = ContinuousClock.now + .seconds(20)
        while ContinuousClock.now < deadline {
            if condition() { return true }
            try await Task.sleep(for: .milliseconds(5))
        }
        return false
    }

    private let later = MonotonicTime.now().advanced(by: .seconds(60))

    @Test func noPartyHasAllThreads() async throws {
        try await withWorkers(.init(threads: 4, threadsOfOneParty: 2, waiting: 64, waitingOfOneParty: 16)) { workers in
            let (slow, later) = (Slow(), later)
            let tasks = (0..<10).map { _ in
                Task { try await workers.ask(until: later, for: "greedy") { _ in slow.hold() } }
            }
            #expect(try await eventually { slow.count == 2 && workers.waiting == 8 })
            // Two threads are left for everybody else, however much of the one waits.
            for party in ["a", "b", "a", nil] {
                #expect(try await workers.ask(until: later, for: party) { _ in 7 } == 7)
            }
            #expect(slow.count == 2)
            slow.end()
            for task in tasks { try await task.value }
            #expect(slow.count == 10)
            #expect(workers.waiting == 0)
        }
    }

    @Test func whatWaitsIsBoundedForEachAndForAll() async throws {
        try await withWorkers(.init(threads: 2, threadsOfOneParty: 1, waiting: 5, waitingOfOneParty: 3)) { workers in
            let (slow, later) = (Slow(), later)
            func hold(_ party: String) -> Task<Void, any Error> {
                Task { try await workers.ask(until: later, for: party) { _ in slow.hold() } }
            }
            func status(_ party: String?) async -> Int? {
                do throws(Problem) {
                    return try await workers.ask(until: later, for: party) { _ in nil }
                } catch {
                    return error.status.code
                }
            }
            // A thread that has just started may not be idle yet: the first one must have it before others wait.
            var tasks = [hold("a")]
            #expect(try await eventually { slow.count == 1 })
            tasks += (0..<3).map { _ in hold("a") }
            #expect(try await eventually { workers.waiting == 3 })
            #expect(await status("a") == 429)
            tasks.append(hold("b"))
            #expect(try await eventually { slow.count == 2 })
            tasks += (0..<2).map { _ in hold("b") }
            #expect(try await eventually { slow.count == 2 && workers.waiting == 5 })
            #expect(await status("b") == 503)
            #expect(await status("c") == 503)
            #expect(await status(nil) == 503)
            slow.end()
            for task in tasks { try await task.value }
            #expect(await status("a") == nil)
        }
    }

    @Test func aPartyIsAnsweredInOrder() async throws {
        try await withWorkers(.init(threads: 3, threadsOfOneParty: 1, waiting: 64, waitingOfOneParty: 64)) { workers in
            let (slow, later) = (Slow(), later)
            let order = Order()
            var tasks = [Task { try await workers.ask(until: later, for: "a") { _ in slow.hold() } }]
            #expect(try await eventually { slow.count == 1 })
            for number in 0..<20 {
                tasks.append(Task { try await workers.ask(until: later, for: "a") { _ in order.add(number) } })
                #expect(try await eventually { workers.waiting == number + 1 })
            }
            slow.end()
            for task in tasks { try await task.value }
            #expect(order.numbers == Array(0..<20))
        }
    }

    @Test func whoHasGivenUpIsNotAnsweredAndHoldsNobodyUp() async throws {
        try await withWorkers(.init(threads: 1, threadsOfOneParty: 1, waiting: 64, waitingOfOneParty: 64)) { workers in
            let (slow, later) = (Slow(), later)
            let holding = Task { try await workers.ask(until: later, for: "a") { _ in slow.hold() } }
            #expect(try await eventually { slow.count == 1 })
            await #expect(throws: Problem.self) {
                try await workers.ask(until: .now().advanced(by: .milliseconds(50)), for: "b") { _ in slow.hold() }
            }
            slow.end()
            try await holding.value
            #expect(try await workers.ask(until: later) { _ in 7 } == 7)
            #expect(slow.count == 1)
        }
    }
}
