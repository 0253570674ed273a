import WaybillCore
import WaybillDeliveryLog
import WaybillMongo
import WaybillThreads

/// Counts a batch: of a small one, the asking thread its few ranges; of a large one, helpers beside it.
///
/// Whoever is free takes the next range, so that one slow thread holds up one range at the most.
final class BatchCount: Sendable {
    private struct Progress: Sendable {
        var fold = BatchPartsFold()
        /// Ranges that somebody is at.
        var open = 0
        var failure: MongoError?
    }

    private let options: DeliveryLogOptions
    private let scope: DeliveryScope
    private let withParts: Bool
    private let deadline: ContinuousClock.Instant
    /// One of them at a time asks where the next range begins: that is read within milliseconds.
    private let ranges: Guarded<BatchRanges>
    private let progress = Guarded(Progress())
    /// Hears from each helper that has ended.
    private let ended: Mailbox<Void>?

    /// - Parameters:
    ///   - batch: which.
    ///   - options: where the log is.
    ///   - scope: whose records are counted.
    ///   - withParts: whether parts are told apart, and the slowest answers.
    ///   - time: after which nothing is waited for.
    ///   - size: how many records a range has; `nil` for what suits the question.
    init(
        _ batch: BatchName,
        options: DeliveryLogOptions,
        scope: DeliveryScope,
        withParts: Bool,
        time: Duration = DeliveryPage.longestTime,
        size: Int? = nil
    ) {
        self.options = options
        self.scope = scope
        self.withParts = withParts
        deadline = .now + time
        let customary = withParts ? BatchRanges.sizeWithParts : BatchRanges.customarySize
        ranges = Guarded(BatchRanges(batch, size: size ?? customary))
        ended = try? Mailbox()
    }

    /// Counts it, on this thread and on those of helpers.
    ///
    /// - Parameters:
    ///   - client: this thread's.
    ///   - helpers: who may help; `nil` for nobody.
    /// - Returns: the sum.
    /// - Throws: what the store says; ``WaybillMongo/MongoError/Code/timeLimitExceeded`` when the time is up.
    func run(client: MongoClient, helpers: BatchHelpers?) throws(MongoError) -> BatchPartsFold {
        let reader = reader(client)
        var mayBegin = helpers
        while let range = take(reader) {
            if let helpers = mayBegin, let ended, ranges.withLock({ $0.areMany }) {
                mayBegin = nil
                helpers.begin { [self] client in
                    let reader = self.reader(client)
                    while let range = take(reader) { count(range, reader) }
                    ended.send(())
                }
            }
            count(range, reader)
        }
        var fold = try sum()
        if withParts { fold.slowest = try reader.slowest(of: fold, time: try timeLeft()) }
        return fold
    }

    private func reader(_ client: MongoClient) -> DeliveryLogReader {
        DeliveryLogReader(client: client, options: options, scope: scope)
    }

    /// - Returns: the next range; `nil` when there is none, or nothing more is of use.
    private func take(_ reader: DeliveryLogReader) -> BatchRange? {
        ranges.withLock { ranges in
            guard progress.withLock({ $0.failure == nil }) else { return nil }
            do throws(MongoError) {
                guard let range = try ranges.next(reader, time: try timeLeft()) else { return nil }
                progress.withLock { $0.open += 1 }
                return range
            } catch {
                fail(error)
                return nil
            }
        }
    }

    private func count(_ range: BatchRange, _ reader: DeliveryLogReader) {
        defer { progress.withLock { $0.open -= 1 } }
        do throws(MongoError) {
            let fold = try reader.count(
                range,
                withParts: withParts,
                isMostlyAccepted: progress.withLock { $0.fold.isMostlyAccepted },
                time: try timeLeft()
            )
            progress.withLock { $0.fold.add(fold) }
        } catch {
            fail(error)
        }
    }

    /// What all have counted, when nobody is at anything any more.
    private func sum() throws(MongoError) -> BatchPartsFold {
        let end = MonotonicTime.now().advanced(by: max(deadline - .now, .zero) + Self.grace)
        var heard: [Void] = []
        while true {
            let (open, failure, fold) = progress.withLock { ($0.open, $0.failure, $0.fold) }
            if let failure { throw failure }
            guard open > 0 else { return fold }
            guard let ended, .now() < end else { throw Self.late }
            ended.wait(until: end)
            ended.drain(into: &heard)
            heard.removeAll()
        }
    }

    private func fail(_ error: MongoError) {
        progress.withLock { if $0.failure == nil { $0.failure = error } }
    }

    private func timeLeft() throws(MongoError) -> Duration {
        let left = deadline - .now
        guard left > .zero else { throw Self.late }
        return left
    }

    /// How much later than the store's own limit a helper may say so.
    private static let grace = Duration.seconds(1)
    private static let late = MongoError(
        code: .timeLimitExceeded,
        operation: "count a batch",
        reason: "it has too many records for the time"
    )
}
