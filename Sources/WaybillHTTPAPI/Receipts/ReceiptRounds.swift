import WaybillCore
import WaybillMongo
import WaybillReceipts
import WaybillThreads

/// Stores receipts in rounds: each has what has come while the last one was under way, so that a wave of them costs the store few
/// writes, and waits for its journal as often.
final class ReceiptRounds: Sendable {
    private struct Waiting: Sendable {
        let receipts: [DeliveryReceipt]
        let reply: StoreReply<Void>
    }

    private struct State: Sendable {
        var waiting: [Waiting] = []
        /// Receipts in all of them.
        var count = 0
        var isUnderWay = false
    }

    /// Receipts that may wait.
    private static let most = 20_000

    private let workers: StoreWorkers
    private let writer: @Sendable (MongoClient) -> ReceiptWriter
    private let onStored: @Sendable (_ new: Int) -> Void
    private let state = Guarded(State())

    /// - Parameters:
    ///   - workers: one of whose threads does a round.
    ///   - writer: stores them.
    ///   - onStored: hears how many were new.
    init(
        workers: StoreWorkers,
        writer: @escaping @Sendable (MongoClient) -> ReceiptWriter,
        onStored: @escaping @Sendable (_ new: Int) -> Void
    ) {
        self.workers = workers
        self.writer = writer
        self.onStored = onStored
    }

    /// Stores receipts in the next round.
    ///
    /// - Parameters:
    ///   - receipts: of one request.
    ///   - deadline: when the caller gives up.
    /// - Throws: ``Problem`` 503 where too much waits already, or the store does not answer.
    func store(_ receipts: [DeliveryReceipt], until deadline: MonotonicTime) async throws(Problem) {
        let answer = await withCheckedContinuation { continuation in
            let reply = StoreReply<Void>(continuation, until: deadline, workers.clock)
            let isTaken = state.withLock { state in
                guard state.count + receipts.count <= Self.most else { return false }
                state.waiting.append(Waiting(receipts: receipts, reply: reply))
                state.count += receipts.count
                return true
            }
            guard isTaken else { return reply.answer(.failure(.full)) }
            begin()
        }
        if case .failure(let failure) = answer { throw failure.problem }
    }

    /// Receipts that wait for a round.
    var waiting: Int { state.withLock { $0.count } }

    /// Begins a round, unless one is under way or there is nothing to do.
    private func begin() {
        let begins = state.withLock { state in
            guard !state.isUnderWay, !state.waiting.isEmpty else { return false }
            state.isUnderWay = true
            return true
        }
        guard begins, !workers.post({ [self] client in round(client) }) else { return }
        let left = state.withLock { state in
            defer { state = State() }
            return state.waiting
        }
        for one in left { one.reply.answer(.failure(.full)) }
    }

    private func round(_ client: MongoClient) {
        let taken = state.withLock { state -> [Waiting] in
            var (count, receipts) = (0, 0)
            while count < state.waiting.count, receipts + state.waiting[count].receipts.count <= ReceiptWriter.most {
                receipts += state.waiting[count].receipts.count
                count += 1
            }
            let taken = Array(state.waiting[..<count])
            state.waiting.removeFirst(count)
            state.count -= receipts
            return taken
        }
        do throws(MongoError) {
            onStored(try writer(client).store(taken.flatMap(\.receipts)))
            for one in taken { one.reply.answer(.success(())) }
        } catch {
            for one in taken {
                guard error.isAboutTheQuery, taken.count > 1 else {
                    one.reply.answer(.failure(.store(error)))
                    continue
                }
                // By itself: a repeat of what is stored already does no harm.
                let result = Result { () throws(MongoError) in try writer(client).store(one.receipts) }
                onStored((try? result.get()) ?? 0)
                one.reply.answer(result.map { _ in () }.mapError { .store($0) })
            }
        }
        state.withLock { $0.isUnderWay = false }
        begin()
    }
}
