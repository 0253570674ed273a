import Testing

@testable import WaybillThreads

@Suite struct JoinTests {
    @Test func aThreadThatGoesOnIsNotWaitedForLongerThanAsked() throws {
        let mailbox = try Mailbox<Int>()
        let thread = try NamedThread.start(name: "wb-test") { mailbox.wait(until: nil) }
        #expect(!thread.join(within: .milliseconds(20)))
        mailbox.send([1])
        #expect(thread.join(within: .seconds(20)))
        #expect(thread.join(within: .zero))
        thread.join()
    }
}
