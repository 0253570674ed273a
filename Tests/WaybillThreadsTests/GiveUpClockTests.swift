import Testing
import WaybillThreads

struct GiveUpClockTests {
    /// Each ends once, not before its time, and the order is that of the deadlines.
    @Test func waitsEndWhenTheirTimeIsOver() async {
        let clock = GiveUpClock()
        let began = MonotonicTime.now()
        let delays = [400, 10, 10, 250, -50]
        let ended: [(Int, MonotonicTime)] = await withTaskGroup(of: (Int, MonotonicTime).self) { group in
            for delay in delays {
                group.addTask {
                    await withCheckedContinuation { continuation in
                        clock.at(began.advanced(by: .milliseconds(delay))) {
                            continuation.resume(returning: (delay, .now()))
                        }
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(ended.map(\.0).sorted() == delays.sorted())
        for (delay, time) in ended { #expect(time >= began.advanced(by: .milliseconds(delay))) }
        #expect(ended.sorted { $0.1 < $1.1 }.map(\.0).last == 400)
        // It begins anew after everything has ended.
        await withCheckedContinuation { continuation in
            clock.at(MonotonicTime.now().advanced(by: .milliseconds(20))) { continuation.resume() }
        }
    }
}
