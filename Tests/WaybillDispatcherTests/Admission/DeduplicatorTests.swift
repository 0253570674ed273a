import Testing
import WaybillAMQP
import WaybillCore
import WaybillMessages
import WaybillThreads

@testable import WaybillDispatcher

struct DeduplicatorTests {
    private static let time = UInt64(WallClock.milliseconds() / 1000)

    /// A producer's message of 200 items.
    private func original(isRedelivered: Bool = false) throws -> InFlightMessage {
        let items = (0..<200).map { #"{"device_token":"aa\#(100 + $0)0","message":"x"}"# }
        let body = #"{"batch_id":"b","notifications":[\#(items.joined(separator: ","))]}"#
        return try #require(
            Samples.message(body, isRedelivered: isRedelivered, properties: AMQPProperties(timestamp: Self.time))
        )
    }

    /// A retry of some of its items.
    private func retry(_ indexes: [Int], pass: Int = 2) throws -> InFlightMessage {
        let (properties, body) = RetryMessage.make(try original(), positions: indexes, pass: pass)
        return try #require(
            Samples.message(String(decoding: body, as: UTF8.self), properties: properties, from: Samples.retry)
        )
    }

    @Test func onlyWhatAsksTheLogWaits() throws {
        var deduplicator = Deduplicator(laneCount: 2)
        let first = try original()
        #expect(!deduplicator.mustWait(first))
        deduplicator.enter(first.finalizer)
        // Fresh: the log is not asked, so there is nothing to wait for.
        #expect(try !deduplicator.mustWait(original()))
        #expect(try deduplicator.mustWait(original(isRedelivered: true)))
        deduplicator.leave(first.finalizer)
        #expect(try !deduplicator.mustWait(original(isRedelivered: true)))
    }

    /// What is in flight, and what comes; the cut, the pass and the order of the items in the body do not matter.
    @Test(
        arguments: [
            ([5], [5], 2, true), ([5], [4], 2, false), ([5], [4, 6], 2, false), ([5], [4, 5, 6], 2, true),
            ([4, 6], [5], 2, false), ([4, 6], [6, 9], 3, true), ([0, 1, 2], [2], 7, true), ([0, 199], [100], 2, false),
        ] as [([Int], [Int], Int, Bool)]
    )
    func aRetryWaitsForItsNotifications(held: [Int], indexes: [Int], pass: Int, waits: Bool) throws {
        var deduplicator = Deduplicator(laneCount: 2)
        deduplicator.enter(try retry(held).finalizer)
        #expect(try deduplicator.mustWait(retry(indexes, pass: pass)) == waits)
    }

    /// A quick retry of a large message does not wait for the rest of it.
    @Test func aSettledPartIsInNobodysWay() throws {
        var deduplicator = Deduplicator(laneCount: 2)
        let first = try original()
        deduplicator.enter(first.finalizer)
        deduplicator.settled([70, 130], of: first.finalizer)
        #expect(try !deduplicator.mustWait(retry([70])))
        #expect(try !deduplicator.mustWait(retry([70, 130])))
        #expect(try deduplicator.mustWait(retry([70, 131])))
        // The places in a retry are not those in its message.
        let held = try retry([3, 70, 150])
        deduplicator.enter(held.finalizer)
        deduplicator.settled([1], of: held.finalizer)
        #expect(try !deduplicator.mustWait(retry([70])))
    }

    @Test func copiesAreReleasedInTheirOrderWhenWhatTheyNeedIsSettled() throws {
        var deduplicator = Deduplicator(laneCount: 2)
        let (first, second) = (try retry([1, 2, 3]), try retry([3, 4]))
        let copies = [try retry([4]), try retry([3]), try retry([1, 2]), try retry([2, 3])]
        deduplicator.enter(first.finalizer)
        deduplicator.enter(second.finalizer)
        for copy in copies {
            #expect(deduplicator.mustWait(copy))
            deduplicator.wait(copy)
        }
        #expect(deduplicator.waitingCount(lane: 0) == 4)
        func released() -> [Int] {
            var numbers: [Int] = []
            while let message = deduplicator.takeReleased() {
                numbers.append(copies.firstIndex { $0 === message } ?? -1)
            }
            return numbers
        }
        deduplicator.settled([0, 1], of: first.finalizer)
        #expect(released() == [2])
        deduplicator.leave(first.finalizer)
        #expect(released() == [])
        deduplicator.settled([0], of: second.finalizer)
        #expect(released() == [1, 3])
        deduplicator.leave(second.finalizer)
        #expect(released() == [0])
        #expect(deduplicator.waitingCount(lane: 0) == 0)
    }

    @Test func whatWaitedOverALostConnectionIsForgotten() throws {
        var deduplicator = Deduplicator(laneCount: 2)
        let (first, copy) = (try retry([1]), try retry([1]))
        deduplicator.enter(first.finalizer)
        deduplicator.wait(copy)
        deduplicator.forgetWaiting()
        deduplicator.leave(first.finalizer)
        #expect(deduplicator.takeReleased() == nil)
        #expect(deduplicator.waitingCount(lane: 0) == 0)
    }
}
