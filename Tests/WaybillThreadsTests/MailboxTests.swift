import Glibc
import Synchronization
import Testing

@testable import WaybillThreads

struct MailboxTests {
    private func isReadable(_ descriptor: Int32) -> Bool {
        var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&polled, 1, 0) == 1
    }

    @Test func itIsReadableExactlyWhileSomethingWaits() throws {
        let mailbox = try Mailbox<Int>()
        #expect(!isReadable(mailbox.descriptor))
        mailbox.send([1, 2])
        mailbox.send(3)
        #expect(isReadable(mailbox.descriptor))
        var taken = [0]
        mailbox.drain(into: &taken)
        #expect(taken == [0, 1, 2, 3])
        #expect(!isReadable(mailbox.descriptor))
        mailbox.send([])
        #expect(!isReadable(mailbox.descriptor))
    }

    @Test func aBatchWakesTheReceiverOnce() throws {
        let mailbox = try Mailbox<Int>()
        mailbox.send([1])
        mailbox.send([2])
        // The event counter would be 2 had the second batch woken the receiver again.
        var count: UInt64 = 0
        #expect(read(mailbox.descriptor, &count, 8) == 8)
        #expect(count == 1)
    }

    @Test func manySendersLoseNothingAndKeepTheirOrder() throws {
        let mailbox = try Mailbox<(sender: Int, number: Int)>()
        let threads = try (0..<4).map { sender in
            try NamedThread.start(name: "sender-\(sender)") {
                for number in stride(from: 0, to: 3000, by: 3) {
                    mailbox.send([(sender, number), (sender, number + 1), (sender, number + 2)])
                }
            }
        }
        var next = [0, 0, 0, 0]
        var received = 0
        var batch: [(sender: Int, number: Int)] = []
        while received < 12_000 {
            mailbox.wait(until: .now().advanced(by: .seconds(10)))
            batch.removeAll()
            mailbox.drain(into: &batch)
            try #require(!batch.isEmpty)
            for element in batch {
                #expect(element.number == next[element.sender])
                next[element.sender] += 1
            }
            received += batch.count
        }
        for thread in threads { thread.join() }
    }

    @Test func waitingEndsAtTheDeadline() throws {
        let mailbox = try Mailbox<Int>()
        let deadline = MonotonicTime.now().advanced(by: .milliseconds(5))
        mailbox.wait(until: deadline)
        #expect(MonotonicTime.now() >= deadline)
    }
}
