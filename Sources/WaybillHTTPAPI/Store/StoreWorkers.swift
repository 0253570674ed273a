import HTTPTypes
import WaybillAccounts
import WaybillMongo
import WaybillThreads

/// A few threads that ask the store, for handlers that must not block their event loop.
///
/// What waits is bounded, and whoever waits has a deadline: a store that hangs costs its threads and nobody else. No party has all
/// of the threads, nor all of the places in front of them, so that a key whose searches are slow keeps no other key waiting. Each
/// thread has a client of its own.
final class StoreWorkers: Sendable {
    /// How much is done at once, and how much may wait.
    struct Limits: Sendable {
        var threads = APILimits.storeThreads
        var threadsOfOneParty = APILimits.storeThreadsOfOneKey
        var waiting = APILimits.storeQueue
        var waitingOfOneParty = APILimits.storeQueueOfOneKey
    }

    private struct Job: Sendable {
        /// Whose it is; `nil` for the server's own.
        let party: String?
        let work: @Sendable (MongoClient) -> Void
    }

    private struct State: Sendable {
        var idle: [Int] = []
        var waiting: [Job] = []
        /// Threads that work for each party.
        var busy: [String: Int] = [:]
        var isStopping = false
    }

    private let limits: Limits
    let clock = GiveUpClock()
    private let state = Guarded(State())
    private let mailboxes: [Mailbox<Job?>]
    let watches: [LoopWatch]

    /// Starts the threads `NAME-0`, `NAME-1` and so on.
    ///
    /// - Parameters:
    ///   - name: of the threads.
    ///   - pool: with a client for each of them.
    ///   - limits: how many, and what may wait for them.
    /// - Throws: `ThreadError`.
    convenience init(name: String, pool: MongoPool, limits: Limits = Limits()) throws {
        let count = limits.threads
        // Nothing throws in the initializer that makes the lock: optimizing that crashes the compiler of Swift 6.3.1.
        self.init(
            limits: limits,
            mailboxes: try (0..<count).map { _ in try Mailbox<Job?>() },
            watches: (0..<count).map { LoopWatch(name: "\(name)-\($0)") }
        )
        for number in 0..<count {
            let (mailbox, watch) = (mailboxes[number], watches[number])
            _ = try NamedThread.start(name: watch.name) { [self] in
                work(number, mailbox, watch, pool)
            }
        }
    }

    private init(limits: Limits, mailboxes: [Mailbox<Job?>], watches: [LoopWatch]) {
        self.limits = limits
        self.mailboxes = mailboxes
        self.watches = watches
    }

    /// Asks the store for a request, whose key is the party and whose time is limited.
    ///
    /// - Parameters:
    ///   - request: who asks.
    ///   - deadline: when the caller gives up; `nil` for the request's own.
    ///   - question: runs on a thread of the pool.
    /// - Returns: its answer.
    /// - Throws: ``Problem`` as ``ask(until:for:_:)`` does.
    func ask<Answer: Sendable>(
        for request: APIRequest,
        until deadline: MonotonicTime? = nil,
        _ question: @escaping @Sendable (MongoClient) throws(MongoError) -> Answer
    ) async throws(Problem) -> Answer {
        try await ask(until: deadline ?? request.context.deadline, for: request.caller.key.id, question)
    }

    /// Asks the store.
    ///
    /// - Parameters:
    ///   - deadline: when the caller gives up; the thread goes on until the store's own limits.
    ///   - party: whose question it is; `nil` for the server's own.
    ///   - question: runs on a thread of the pool.
    /// - Returns: its answer.
    /// - Throws: ``Problem`` 429 when too much of the party waits already, 503 when all threads are busy for too long, or the store does not answer.
    func ask<Answer: Sendable>(
        until deadline: MonotonicTime,
        for party: String? = nil,
        _ question: @escaping @Sendable (MongoClient) throws(MongoError) -> Answer
    ) async throws(Problem) -> Answer {
        let answer = await withCheckedContinuation { continuation in
            let reply = StoreReply<Answer>(continuation, until: deadline, clock)
            let job = Job(party: party) { client in
                guard MonotonicTime.now() < deadline else { return reply.answer(.failure(.late)) }
                do throws(MongoError) {
                    reply.answer(.success(try question(client)))
                } catch {
                    reply.answer(.failure(.store(error)))
                }
            }
            if let failure = submit(job) { reply.answer(.failure(failure)) }
        }
        switch answer {
        case .success(let answer): return answer
        case .failure(let failure): throw failure.problem
        }
    }

    /// Has something done when a thread is free, and hears nothing of it.
    ///
    /// - Returns: whether it will be done; where too much waits already it is left out.
    @discardableResult
    func post(_ work: @escaping @Sendable (MongoClient) throws(MongoError) -> Void) -> Bool {
        submit(Job(party: nil) { try? work($0) }) == nil
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

    /// - Returns: why it is not taken.
    private func submit(_ job: Job) -> StoreFailure? {
        let (failure, worker): (StoreFailure?, Int?) = state.withLock { state in
            guard !state.isStopping else { return (.full, nil) }
            if mayBegin(job, state), let worker = state.idle.popLast() {
                begin(job, &state)
                return (nil, worker)
            }
            guard state.waiting.count < limits.waiting else { return (.full, nil) }
            if let party = job.party {
                let ahead = state.waiting.count { $0.party == party }
                guard ahead < limits.waitingOfOneParty else { return (.greedy, nil) }
            }
            state.waiting.append(job)
            return (nil, nil)
        }
        if let worker { mailboxes[worker].send(job) }
        return failure
    }

    private func mayBegin(_ job: Job, _ state: borrowing State) -> Bool {
        guard let party = job.party else { return true }
        return state.busy[party, default: 0] < limits.threadsOfOneParty
    }

    private func begin(_ job: Job, _ state: inout State) {
        if let party = job.party { state.busy[party, default: 0] += 1 }
    }

    private func end(_ job: Job, _ state: inout State) {
        guard let party = job.party else { return }
        let left = state.busy[party, default: 1] - 1
        state.busy[party] = left > 0 ? left : nil
    }

    private func work(_ number: Int, _ mailbox: Mailbox<Job?>, _ watch: LoopWatch, _ pool: MongoPool) {
        // The pool has a client for each thread.
        guard let client = try? pool.pop() else { return }
        defer { pool.push(client) }
        var jobs: [Job?] = []
        var done: Job?
        while true {
            // While a thread is idle, nothing waits that may begin: what has ended lets at most one of its party begin.
            let next: Job? = state.withLock { state in
                if let done { end(done, &state) }
                if let place = state.waiting.firstIndex(where: { mayBegin($0, state) }) {
                    let job = state.waiting.remove(at: place)
                    begin(job, &state)
                    return job
                }
                state.idle.append(number)
                return nil
            }
            done = next
            if let next {
                run(next, client, watch)
                continue
            }
            mailbox.wait(until: nil)
            mailbox.drain(into: &jobs)
            for job in jobs {
                guard let job else { return }
                run(job, client, watch)
                done = job
            }
            jobs.removeAll(keepingCapacity: true)
        }
    }

    private func run(_ job: Job, _ client: MongoClient, _ watch: LoopWatch) {
        watch.works()
        job.work(client)
        watch.waits()
    }
}
