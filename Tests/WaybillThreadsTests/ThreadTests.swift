import Glibc
import Testing
import WaybillThreads

@testable import WaybillThreads

struct ThreadTests {
    @Test func aThreadRunsUnderItsNameUntilItIsJoined() throws {
        let seen = Guarded("")
        let thread = try NamedThread.start(name: "wb-a-very-long-name") {
            var name = [UInt8](repeating: 0, count: 32)
            let file = open("/proc/thread-self/comm", O_RDONLY)
            let count = read(file, &name, name.count)
            close(file)
            let text = String(decoding: name.prefix(max(0, count - 1)), as: UTF8.self)
            seen.withLock { $0 = text }
        }
        thread.join()
        thread.join()
        #expect(seen.withLock { $0 } == "wb-a-very-long-")
    }

    @Test func theReactorReportsWhatIsReadyWithItsToken() throws {
        let reactor = try Reactor()
        let first = try EventDescriptor()
        let second = try EventDescriptor()
        try reactor.register(first.descriptor, token: 7, interest: .readable)
        try reactor.register(second.descriptor, token: 9, interest: [.readable, .writable])
        var events: [Reactor.Event] = []
        try reactor.wait(until: .now(), into: &events)
        #expect(events.map(\.token) == [9])
        #expect(events.first?.isWritable == true)
        #expect(events.first?.isReadable == false)
        first.signal()
        try reactor.modify(second.descriptor, token: 9, interest: [])
        try reactor.wait(until: nil, into: &events)
        #expect(events.map(\.token) == [7])
        reactor.unregister(first.descriptor)
        try reactor.wait(until: .now(), into: &events)
        #expect(events.isEmpty)
        #expect(throws: ThreadError.self) { try reactor.modify(first.descriptor, token: 7, interest: .readable) }
    }
}
