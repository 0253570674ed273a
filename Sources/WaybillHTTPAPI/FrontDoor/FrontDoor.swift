import HTTPTypes
import WaybillAccounts
import WaybillMongo
import WaybillPassword
import WaybillSettings
import WaybillThreads

/// What everything that is for people's apps and browsers has in common: the rules of their accounts, the threads that ask for
/// them, and how often strangers may ask.
///
/// Its threads are not those of operators: however many strangers come, a key's requests find theirs free.
final class FrontDoor: Sendable {
    let settings: AccountSettings
    let database: String
    let rules: AccountRules
    let evenTime: EvenTime
    let allowances: StrangerAllowances
    /// How many mails one mailbox receives.
    let mailboxes: MailboxAllowances
    /// The same for those whose account is known.
    let accountAllowances: AccountAllowances
    /// How often an account may ask, by whichever API.
    let callers = Guarded(TokenBuckets())
    let logIns = LogInTally()
    /// For what takes the store alone.
    let people: StoreWorkers
    /// For what hashes a password, which keeps a core busy for tens of milliseconds.
    let passwords: StoreWorkers
    let report: @Sendable (APIEvent) -> Void
    private let replayed = Guarded(0)
    /// What the sweeps could not do last.
    let undone = Undone()

    /// The clients that it takes out of a pool.
    static var clients: Int { peopleLimits.threads + passwordLimits.threads }

    private static let peopleLimits = StoreWorkers.Limits(
        threads: 4,
        threadsOfOneParty: 2,
        waiting: 256,
        waitingOfOneParty: 32
    )
    private static let passwordLimits = StoreWorkers.Limits(
        threads: 2,
        threadsOfOneParty: 1,
        waiting: 32,
        waitingOfOneParty: 8
    )

    /// - Parameters:
    ///   - settings: what the operator has decided.
    ///   - database: where accounts are.
    ///   - pool: with ``clients`` clients.
    ///   - evenTime: when answers come that must not tell whether there is an account.
    ///   - report: hears of refresh tokens that were shown a second time, of passwords that were not taken, and of what is decided and
    ///     cannot be done.
    /// - Throws: `ThreadError`, and `OwnerOnlyFile.Problem` for a root secret that cannot be used.
    convenience init(
        settings: AccountSettings,
        database: String,
        pool: MongoPool,
        evenTime: EvenTime = EvenTime(),
        report: @escaping @Sendable (APIEvent) -> Void
    ) throws {
        let (root, former) = try settings.roots.read()
        guard let keys = TokenKeys(root: root, former: former) else { throw RootTooShort() }
        self.init(
            settings: settings,
            database: database,
            keys: keys,
            evenTime: evenTime,
            people: try StoreWorkers(name: "wb-people", pool: pool, limits: Self.peopleLimits),
            passwords: try StoreWorkers(name: "wb-password", pool: pool, limits: Self.passwordLimits),
            report: report
        )
    }

    // Nothing throws in the initializer that makes the lock: optimizing that crashes the compiler of Swift 6.3.1.
    private init(
        settings: AccountSettings,
        database: String,
        keys: TokenKeys,
        evenTime: EvenTime,
        people: StoreWorkers,
        passwords: StoreWorkers,
        report: @escaping @Sendable (APIEvent) -> Void
    ) {
        self.settings = settings
        self.database = database
        self.evenTime = evenTime
        self.people = people
        self.passwords = passwords
        self.report = report
        allowances = StrangerAllowances(settings.limits)
        mailboxes = MailboxAllowances(settings.limits)
        accountAllowances = AccountAllowances(settings.limits)
        let hashing = settings.hashing
        rules = AccountRules(
            keys: keys,
            issuer: settings.baseURL,
            cost: PasswordCost(memory: hashing.memory, passes: hashing.passes, lanes: hashing.lanes)
        )
    }

    struct RootTooShort: Error {}

    /// Asks the store for an account's sake; whoever asks has few of the threads: an account, however many addresses it asks from,
    /// and before it is known its address.
    ///
    /// - Parameters:
    ///   - workers: ``people`` or ``passwords``.
    ///   - context: the request's.
    ///   - question: runs on a thread of theirs.
    /// - Returns: its answer, or its own failure.
    /// - Throws: ``Problem`` 429 or 503 where too much waits already.
    func ask<Answer: Sendable, Failure: Error>(
        _ workers: StoreWorkers,
        _ context: APIContext,
        _ question: @escaping @Sendable (MongoClient) throws(Failure) -> Answer
    ) async throws(Problem) -> Result<Answer, Failure> {
        let party = context.caller.key ?? context.neighbourhood
        return try await workers.ask(until: context.deadline, for: party) { client throws(MongoError) in
            do throws(Failure) {
                return .success(try question(client))
            } catch {
                return .failure(error)
            }
        }
    }

    /// Counts and tells that somebody has shown a refresh token a second time.
    func noteReplay(login: String, account: String, request: String) {
        replayed.withLock { $0 += 1 }
        report(.refreshReplayed(APIEvent.Replay(login: login, account: account, request: request)))
    }

    /// Counts a password that was shown, and tells of one that was not taken.
    func note<Value>(_ result: Result<Value, LogInProblem>, request: String) {
        let outcome = logIns.count(result)
        // What failed here says nothing of the password, and has a log line of its own.
        guard outcome != .granted, outcome != .failed else { return }
        report(.passwordRefused(result: outcome.rawValue, request: request))
    }

    /// How often that was.
    var replays: Int { replayed.withLock { $0 } }

    /// Ends the deletion of an account that is decided: what could not be done is told, and a sweep does it.
    func finish(_ departing: DepartingAccount, _ context: APIContext) async {
        let (door, now) = (self, WallClock.milliseconds())
        await finish(.account(departing.id), context) { client throws(MongoError) in
            try AccountDeparture(door: door, client: client, now: now).finish(departing)
        }
    }

    /// The same of a service.
    func finish(_ ending: ServiceEnding, _ context: APIContext) async {
        let door = self
        await finish(.service(ending.service), context) { client throws(MongoError) in
            try ServiceEnd(door: door, client: client).finish(ending)
        }
    }

    private func finish(
        _ what: APIEvent.Deleted,
        _ context: APIContext,
        _ rest: @escaping @Sendable (MongoClient) throws(MongoError) -> Void
    ) async {
        do throws(Problem) {
            let done = try await ask(people, context, rest)
            if case .failure(let error) = done { report(.deletionHeldUp(what, others: 0, reason: "\(error)")) }
        } catch {
            report(.deletionHeldUp(what, others: 0, reason: error.cause ?? error.detail))
        }
    }

    func stop() {
        people.stop()
        passwords.stop()
    }

    var waiting: Int { people.waiting + passwords.waiting }
    var watches: [LoopWatch] { people.watches + passwords.watches }
}

extension Problem {
    /// What could not be done for an account: nobody but the operator can do anything about it.
    init(_ fault: AccountFault) {
        switch fault {
        case .store(let error): self.init(asking: error)
        case .hashing:
            self.init(.internalServerError, "a password could not be hashed; the server's memory may be short")
        }
    }
}
