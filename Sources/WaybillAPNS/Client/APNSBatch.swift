/// The outcomes of many notifications that were handed over together, as they come.
///
///     for await outcome in client.send(notifications) {
///         switch outcome.result {
///         case .success(let response): note(response, for: devices[outcome.index])
///         case .failure(let error): note(error, for: devices[outcome.index])
///         }
///     }
///
/// Each notification has exactly one outcome, also one that is not valid. Their order is that of APNs' answers.
///
/// Leaving the loop, dropping the batch or cancelling the task takes back what has not left for APNs. A loop that was
/// left can be followed by another one, which finds the rest: what was taken back, as ``APNSError/Code/cancelled``, and
/// what was on the wire. A cancelled task's loop ends only with the last outcome, which the deadlines bound.
public struct APNSBatch: AsyncSequence, Sendable {
    /// What became of one notification of a batch.
    public struct Outcome: Hashable, Sendable {
        /// The notification's position in what was sent, counted from 0.
        public let index: Int
        /// The notification's `apns-id`.
        public let apnsID: APNSID
        /// APNs' answer, or why there is none.
        public let result: Result<APNSResponse, APNSError>

        /// Creates an outcome, for tests of what handles it.
        public init(index: Int, apnsID: APNSID, result: Result<APNSResponse, APNSError>) {
            self.index = index
            self.apnsID = apnsID
            self.result = result
        }
    }

    /// Hands out the outcomes that have come.
    public struct Iterator: AsyncIteratorProtocol {
        var reader: OutcomeReader

        /// The next outcome; `nil` after the last one.
        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> Outcome? {
            await reader.next(isolation: actor)
        }
    }

    /// Ends with the last copy of the batch.
    private let departure: ReaderDeparture

    /// The number of notifications in the batch.
    public let count: Int

    init(inbox: OutcomeInbox, driver: APNSDriver, count: Int) {
        self.count = count
        departure = ReaderDeparture(ofBatch: inbox, driver: driver)
    }

    /// Begins to read; two readers at a time share the outcomes between them.
    public func makeAsyncIterator() -> Iterator {
        Iterator(reader: OutcomeReader(of: departure))
    }
}

extension APNSClient {
    /// Sends notifications together and streams their outcomes back.
    ///
    /// They are handed over at once, before this returns; the batch has to be kept until its outcomes are read (see
    /// ``APNSBatch``). For more notifications than fit into memory, or than can be sent within
    /// ``APNSDeadlines/waiting``, there is ``send(contentsOf:atMost:)``.
    ///
    /// - Parameter notifications: what to send; the order is kept as far as streams allow.
    /// - Returns: the outcomes, one for each notification; a value that is not allowed is one of them.
    public func send(_ notifications: [APNSNotification]) -> APNSBatch {
        let inbox = OutcomeInbox(capacity: .max)
        var requests: [APNSRequest] = []
        requests.reserveCapacity(notifications.count)
        var refused: [APNSBatch.Outcome] = []
        for (index, notification) in notifications.enumerated() {
            do {
                requests.append(try makeRequest(notification, index: index))
            } catch {
                refused.append(
                    APNSBatch.Outcome(index: index, apnsID: notification.apnsID, result: .failure(error))
                )
            }
        }
        inbox.enter(apnsIDs: notifications.map(\.apnsID), refused: refused)
        if !requests.isEmpty { driver.submit([APNSRequestBatch(owner: inbox, requests: requests)], lane: 0) }
        return APNSBatch(inbox: inbox, driver: driver, count: notifications.count)
    }
}
