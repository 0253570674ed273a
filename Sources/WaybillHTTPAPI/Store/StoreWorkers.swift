import HTTPTypes
import WaybillMongo
import WaybillThreads

/// A few threads that ask the store, for handlers that must not block their event loop.
///
/// What waits is bounded, and whoever waits has a deadline: a store that hangs costs its threads and nobody else. Each thread has
/// a client of its own.
final class StoreWorkers: Sendable {
    private typealias Job = @Sendable (MongoClient) -> Void

    private struct State {
        var idle: [Int] = []
        var waiting: [Job] = []
        var isStopping = false
    }

    private let state = Guarded(State())
    private let mailboxes: [Mailbox<Job?>]
    let watches: [LoopWatch]

    /// Starts the threads `wb-api-N`.
    ///
    /// - Parameters:
    ///   - pool: with a client for each of them.
    ///   - count: how many.
    /// - Throws: `ThreadError`.
    convenience init(pool: MongoPool, count: Int = APILimits.storeThreads) throws {
        // Nothing throws in the initializer that makes the lock: optimizing that crashes the compiler of Swift 6.3.1.
        self.init(
            mailboxes: try (0..<count).map { _ in try Mailbox<Job?>() },
            watches: (0..<count).map { LoopWatch(name: "wb-api-\($0)") }
        )
        for number in 0..<count {
            let (mailbox, watch) = (mailboxes[number], watches[number])
            _ = try NamedThread.start(name: watch.name) { [self] in
                work(number, mailbox, watch, pool)
            }
        }
    }

    private init(mailboxes: [Mailbox<Job?>], watches: [LoopWatch]) {
        self.mailboxes = mailboxes
        self.watches = watches
    }

    /// Asks the store.
    ///
    /// - Parameters:
    ///   - deadline: when the caller gives up; the thread goes on until the store's own limits.
    ///   - question: runs on a thread of the pool.
    /// - Returns: its answer.
    /// - Throws: ``Problem`` 503 when all threads are busy for too long, or the store does not answer.
    func ask<Answer: Sendable>(
        until deadline: MonotonicTime,
        _ question: @escaping @Sendable (MongoClient) throws(MongoError) -> Answer
    ) async throws(Problem) -> Answer {
        let answer = await withCheckedContinuation { continuation in
            let once = Once<Answer>(continuation)
            let isTaken = submit { client in
                guard MonotonicTime.now() < deadline else { return once.answer(.failure(.late)) }
                do throws(MongoError) {
                    once.answer(.success(try question(client)))
                } catch {
                    once.answer(.failure(.store(error)))
                }
            }
            guard isTaken else { return once.answer(.failure(.full)) }
            once.giveUp(at: deadline)
        }
        switch answer {
        case .success(let answer): return answer
        case .failure(let failure): throw failure.problem
        }
    }

    /// Has something done when a thread is free, and hears nothing of it; where too much waits already it is left out.
    func post(_ work: @escaping @Sendable (MongoClient) throws(MongoError) -> Void) {
        _ = submit { try? work($0) }
    }

    /// Ends the threads when they have done what they are at.
    func stop() {
        state.withLock { state in
            state.isStopping = true
            state.waiting.removeAll()
            state.idle.removeAll()
        }
        for mailbox in mailboxes { mailbox.send(nil) }
    }

    /// Requests that wait for a thread.
    var waiting: Int { state.withLock { $0.waiting.count } }

    private func submit(_ job: @escaping Job) -> Bool {
        let (isTaken, worker): (Bool, Int?) = state.withLock { state in
            guard !state.isStopping else { return (false, nil) }
            if let worker = state.idle.popLast() { return (true, worker) }
            guard state.waiting.count < APILimits.storeQueue else { return (false, nil) }
            state.waiting.append(job)
            return (true, nil)
        }
        if let worker { mailboxes[worker].send(job) }
        return isTaken
    }

    private func work(_ number: Int, _ mailbox: Mailbox<Job?>, _ watch: LoopWatch, _ pool: MongoPool) {
        // The pool has a client for each thread.
        guard let client = try? pool.pop() else { return }
        defer { pool.push(client) }
        var jobs: [Job?] = []
        while true {
            let next: Job? = state.withLock { state in
                if !state.waiting.isEmpty { return state.waiting.removeFirst() }
                state.idle.append(number)
                return nil
            }
            if let next {
                run(next, client, watch)
                continue
            }
            mailbox.wait(until: nil)
            mailbox.drain(into: &jobs)
            for job in jobs {
                guard let job else { return }
                run(job, client, watch)
            }
            jobs.removeAll(keepingCapacity: true)
        }
    }

    private func run(_ job: Job, _ client: MongoClient, _ watch: LoopWatch) {
        watch.works()
        job(client)
        watch.waits()
    }
}

/// Why the store was not asked, or did not answer.
private enum StoreFailure: Error {
    case full
    case late
    case store(MongoError)

    var problem: Problem {
        switch self {
        case .full: .unavailable("too many requests wait for the store")
        case .late: .unavailable("the store did not answer in time")
        case .store(let error): Problem(asking: error)
        }
    }
}

extension Problem {
    /// What the store has said instead of an answer.
    init(asking error: MongoError) {
        self =
            switch error.code {
            case .timeLimitExceeded: .unavailable("this took the store too long; ask for less, such as a shorter time")
            case .accessRefused:
                Problem(.internalServerError, "the store does not let this server do it; its user lacks a right")
            default: .unavailable("the store does not answer")
            }
    }
}

/// Answers once, whoever comes first: the thread or the deadline.
private final class Once<Answer: Sendable>: Sendable {
    private struct State: Sendable {
        var continuation: CheckedContinuation<Result<Answer, StoreFailure>, Never>?
        var timer: Task<Void, Never>?
    }

    private let state: Guarded<State>

    init(_ continuation: CheckedContinuation<Result<Answer, StoreFailure>, Never>) {
        state = Guarded(State(continuation: continuation))
    }

    func answer(_ result: Result<Answer, StoreFailure>) {
        let state = state.withLock { state in
            defer { state = State() }
            return state
        }
        state.timer?.cancel()
        state.continuation?.resume(returning: result)
    }

    func giveUp(at deadline: MonotonicTime) {
        let timer = Task { [self] in
            let patience = deadline.duration(since: .now())
            if patience > .zero { try? await Task.sleep(for: patience) }
            if !Task.isCancelled { answer(.failure(.late)) }
        }
        let isAnswered = state.withLock { state in
            if state.continuation != nil { state.timer = timer }
            return state.continuation == nil
        }
        if isAnswered { timer.cancel() }
    }
}
