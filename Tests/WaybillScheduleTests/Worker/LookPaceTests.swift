import Testing
import WaybillMongo
import WaybillThreads

@testable import WaybillSchedule

/// Looks by a clock that stands still but for them.
@Suite struct LookPaceTests {
    private struct Bench {
        var now = MonotonicTime(nanoseconds: 1_000_000_000)
        var pace = LookPace(first: MonotonicTime(nanoseconds: 1_000_000_000))

        /// How often a look was begun in so many seconds, each of which takes so long.
        mutating func looks(taking length: Duration, in seconds: Int, _ code: MongoError.Code? = nil) throws -> Int {
            var count = 0
            let end = now.advanced(by: .seconds(seconds))
            while now < end {
                var later = now
                _ = try pace.look(clock: { later }) { () throws(MongoError) in
                    count += 1
                    later = later.advanced(by: length)
                    if let code { throw MongoError(code: code, operation: "", reason: "") }
                }
                now = max(later, now.advanced(by: .milliseconds(100)))
            }
            return count
        }
    }

    @Test(
        "nobody looks for more than a twentieth of the time, nor more often than every five seconds",
        arguments: [(0, 20), (100, 20), (250, 20), (1000, 5), (5000, 1)]
    )
    func share(milliseconds: Int, looks: Int) throws {
        var bench = Bench()
        let count = try bench.looks(taking: .milliseconds(milliseconds), in: 100)
        #expect(count == looks)
    }

    @Test("a look that meets its time limit keeps nobody from anything, and is told with the pause after it")
    func cut() throws {
        var bench = Bench()
        let count = try bench.looks(taking: .seconds(5), in: 1000, .timeLimitExceeded)
        #expect(count == 10)
        var pace = LookPace(first: bench.now)
        var now = bench.now
        let pause = try pace.look(clock: { now }) { () throws(MongoError) in
            now = now.advanced(by: .seconds(5))
            throw MongoError(code: .timeLimitExceeded, operation: "", reason: "")
        }
        #expect(pause == .seconds(100))
        #expect(pace.next == bench.now.advanced(by: .seconds(105)))
    }

    @Test("what else is wrong with the store is told, and the next look waits all the same")
    func failed() {
        var bench = Bench()
        #expect(throws: MongoError.self) { try bench.looks(taking: .zero, in: 1, .unreachable) }
        #expect(bench.pace.next == bench.now.advanced(by: .seconds(5)))
    }
}
