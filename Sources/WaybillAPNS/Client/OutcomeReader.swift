/// Reads an inbox row by row and hands out one outcome at a time.
///
/// A class, so that what a loop has taken from the inbox and not seen goes back there when the loop is left.
final class OutcomeReader {
    private let inbox: OutcomeInbox
    private let departure: ReaderDeparture
    /// That of the batch, which a loop drops as soon as it has a reader.
    private let batch: ReaderDeparture
    private var row: ArraySlice<APNSBatch.Outcome> = []
    private var hasLeft = false

    init(of batch: ReaderDeparture) {
        self.batch = batch
        inbox = batch.inbox
        departure = ReaderDeparture(ofReader: batch)
    }

    deinit {
        // Before the departure, which finds something unread then.
        if !row.isEmpty { inbox.putBack(row) }
    }

    /// The next outcome; `nil` after the last one.
    ///
    /// A cancelled task takes back what has not left, and goes on reading: everything still has its outcome.
    func next(isolation actor: isolated (any Actor)?) async -> APNSBatch.Outcome? {
        if Task.isCancelled, !hasLeft {
            hasLeft = true
            departure.leave()
        }
        if let outcome = row.popFirst() { return outcome }
        let (inbox, departure) = (inbox, departure)
        row = await withTaskCancellationHandler {
            await inbox.take()[...]
        } onCancel: {
            departure.leave()
        }
        return row.popFirst()
    }
}

/// Takes back what has not left for APNs, when its holder goes: a reader, or the batch with all its readers.
final class ReaderDeparture: Sendable {
    let inbox: OutcomeInbox
    let driver: APNSDriver
    private let isLast: Bool

    /// The end of a batch: nobody can read what comes after that.
    init(ofBatch inbox: OutcomeInbox, driver: APNSDriver) {
        self.inbox = inbox
        self.driver = driver
        isLast = true
    }

    /// The end of one of its readers.
    init(ofReader batch: ReaderDeparture) {
        inbox = batch.inbox
        driver = batch.driver
        isLast = false
    }

    deinit {
        leave()
        if isLast { inbox.discard() }
    }

    func leave() {
        guard inbox.hasUnread else { return }
        inbox.abandon()
        driver.withdraw(owner: inbox, lane: 0)
    }
}
