import WaybillPushTransport
import WaybillThreads

/// The outcomes of notifications that come from an asynchronous sequence, as they come.
///
///     for try await outcome in client.send(contentsOf: notifications) { … }
///
/// Notifications are taken from the sequence only as fast as their outcomes are read, so that memory stays bounded
/// however many there are. Each one that was taken has exactly one outcome. Leaving the loop, dropping the feed or
/// cancelling the task takes no more of them, and takes back what has not left for APNs; the rest of the outcomes can
/// still be read by a cancelled task's loop, or by another loop.
///
/// An error of the sequence is thrown after the last outcome.
public struct APNSFeed<Failure: Error>: AsyncSequence {
    /// What became of one notification.
    public typealias Element = APNSBatch.Outcome

    /// Hands out the outcomes that have come.
    public struct Iterator: AsyncIteratorProtocol {
        var reader: OutcomeReader
        let end: FeedEnd<Failure>

        /// The next outcome; `nil` after the last one.
        ///
        /// - Parameter actor: where the caller runs.
        /// - Returns: one outcome, of any notification that was taken.
        /// - Throws: what the sequence of notifications threw, once, after the last outcome.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(Failure) -> APNSBatch.Outcome? {
            if let outcome = await reader.next(isolation: actor) { return outcome }
            if let failure = end.take() { throw failure }
            return nil
        }
    }

    let end: FeedEnd<Failure>
    /// Ends with the last copy of the feed.
    let departure: ReaderDeparture

    /// Begins to read; two readers at a time share the outcomes between them.
    public func makeAsyncIterator() -> Iterator {
        Iterator(reader: OutcomeReader(of: departure), end: end)
    }
}

/// How the sequence of notifications ended.
final class FeedEnd<Failure: Error>: Sendable {
    private let failure = Guarded<Failure?>(nil)

    func set(_ failure: Failure) {
        self.failure.withLock { $0 = failure }
    }

    func take() -> Failure? {
        failure.withLock { $0.take() }
    }
}

extension APNSClient {
    /// Sends the notifications of a sequence, and streams their outcomes back.
    ///
    /// The sequence is read from now on, on a task of its own, which ends with the feed.
    ///
    /// - Parameters:
    ///   - notifications: what to send.
    ///   - inFlight: how many notifications may be without an outcome that was read, at least 1.
    /// - Returns: the outcomes, one for each notification; ``APNSBatch/Outcome/index`` counts the sequence's elements.
    public func send<Notifications: AsyncSequence & SendableMetatype>(
        contentsOf notifications: sending Notifications,
        atMost inFlight: Int = 10_000
    ) -> APNSFeed<Notifications.Failure> where Notifications.Element == APNSNotification {
        let inbox = OutcomeInbox(capacity: inFlight)
        let end = FeedEnd<Notifications.Failure>()
        let feeder = Task {
            do throws(Notifications.Failure) {
                try await feed(notifications, to: inbox)
            } catch {
                end.set(error)
            }
            inbox.finish()
        }
        inbox.feed(by: feeder)
        return APNSFeed(end: end, departure: ReaderDeparture(ofBatch: inbox, driver: driver))
    }

    private func feed<Notifications: AsyncSequence>(
        _ notifications: Notifications,
        to inbox: OutcomeInbox
    ) async throws(Notifications.Failure) where Notifications.Element == APNSNotification {
        var index = 0
        var iterator = notifications.makeAsyncIterator()
        // Room first: what was taken from the sequence has to have an outcome.
        while await inbox.hasRoom(), let notification = try await iterator.next(isolation: #isolation) {
            send(notification, index: index, to: inbox)
            index += 1
        }
    }

    private func send(_ notification: APNSNotification, index: Int, to inbox: OutcomeInbox) {
        let number = inbox.enter(index: index, apnsID: notification.apnsID)
        do throws(APNSError) {
            let request = try makeRequest(notification, index: number)
            guard !inbox.isAbandoned else {
                throw APNSError(.notSent(.cancelled), apnsID: notification.apnsID, attempts: [])
            }
            driver.submit([APNSRequestBatch(owner: inbox, requests: [request])], lane: 0)
            // The reader left while this one was on its way: the driver had nothing to take back then.
            if inbox.isAbandoned { driver.withdraw(owner: inbox, lane: 0) }
        } catch {
            inbox.refuse(number: number, error)
        }
    }
}
