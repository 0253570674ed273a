import Foundation
import Testing
import WaybillThreads

struct NamedThreadRunTests {
    private struct Refusal: Error, Equatable {}

    @Test func theWorkRunsOnAThreadOfItsOwnAndIsWaitedFor() async throws {
        let name = Guarded("")
        try await NamedThread.run(name: "wb-run") {
            let own = try String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)
            name.withLock { $0 = own.trimmingCharacters(in: .newlines) }
        }
        #expect(name.withLock { $0 } == "wb-run")
    }

    @Test func whatTheWorkThrowsReachesTheCaller() async {
        await #expect(throws: Refusal()) { try await NamedThread.run(name: "wb-run") { throw Refusal() } }
    }
}
