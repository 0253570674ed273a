import Hummingbird
import WaybillAccounts
import WaybillMongo
import WaybillTelemetry
import WaybillThreads

/// Finds out whose a request is: by `Authorization: Bearer`, else by a session's cookie, never by the URL.
final class Authenticator: Sendable {
    private struct State {
        var cache = GrantCache()
        var callers = TokenBuckets()
        /// By key: each log-in is a document in the store.
        var logIns = TokenBuckets(burst: APILimits.logIns, perSecond: APILimits.logInsPerSecond)
        /// By neighbourhood: what nobody knows is paid for once that is clear, so that it costs the holder of a good key nothing.
        var strangers = TokenBuckets()
        var lookUps = LookUpLimit()
    }

    private typealias Question = @Sendable (MongoClient) throws(MongoError) -> AccessGrant?

    private let store: StoreWorkers
    private let database: String
    private let origin: OriginCheck
    private let cookie: SessionCookie
    private let storeAnswers: Condition
    private let state = Guarded(State())

    /// How long a store that has answered until now is asked for a key that was good lately, where that is enough.
    private static let outageWait = Duration.seconds(1)

    /// - Parameters:
    ///   - store: threads that ask it.
    ///   - database: where keys and sessions are.
    ///   - isProtected: whether nobody reads along on the way here.
    ///   - storeAnswers: what the server has found of the store.
    init(store: StoreWorkers, database: String, isProtected: Bool, storeAnswers: Condition) {
        self.store = store
        self.database = database
        self.storeAnswers = storeAnswers
        origin = OriginCheck(isProtected: isProtected)
        cookie = SessionCookie(isProtected: isProtected)
    }

    /// Who asks.
    ///
    /// - Parameters:
    ///   - request: what was asked.
    ///   - context: its own.
    ///   - action: what for. ``Action/readStatus`` tells of a store that does not answer, and so is allowed meanwhile to
    ///     who was let in lately.
    /// - Returns: who it is, and what they may.
    /// - Throws: ``Problem`` 401 without a good key or session, 403 for what another site's page has sent with the cookie, 429 for
    ///   one that asks too often, 503 if the store cannot say.
    func caller(
        _ request: Request,
        _ context: APIContext,
        for action: Action?
    ) async throws(Problem) -> Caller {
        let database = database
        let outlastsOutages = action == .readStatus
        let credential = try Credential(request, cookie)
        switch credential {
        case .key(let secret):
            let digest = secret.digest
            return try await caller(digest, context, "nobody knows this key, or it has ended", outlastsOutages) {
                client throws(MongoError) in
                try KeyReader(client: client, database: database).key(digest).map { AccessGrant(key: $0) }
            }
        case .session(let secret):
            try origin.require(request, otherwise: "a program sends its key")
            let digest = secret.digest
            return try await caller(digest, context, "this session has ended; log in again", outlastsOutages) {
                client throws(MongoError) in
                try SessionStore(client: client, database: database).grant(digest)
            }
        }
    }

    /// Who logs in with a key, that stands in the request's body.
    ///
    /// - Throws: ``Problem`` as ``caller(_:_:)`` does; nothing that a page of another site sends begins a session.
    func logIn(_ text: String?, _ request: Request, _ context: APIContext) async throws(Problem) -> Caller {
        try origin.refuseForeign(request)
        guard let text else { throw .field("key", "the body has a key: {\"key\": \"wbk_live_…\"}") }
        guard let secret = KeySecret(text) else {
            try charge(context)
            throw .unauthorized(Credential.fault(of: text))
        }
        let (database, digest) = (database, secret.digest)
        let caller = try await caller(digest, context, "nobody knows this key, or it has ended", false) {
            client throws(MongoError) in
            try KeyReader(client: client, database: database).key(digest).map { AccessGrant(key: $0) }
        }
        guard state.withLock({ $0.logIns.take(caller.key.id, now: .now()) }).isGranted else {
            throw Problem(.tooManyRequests, "this key has begun too many sessions just now").with(.retryAfter, "5")
        }
        return caller
    }

    /// Forgets a session that was ended: nobody is let in by it any more.
    func forget(_ secret: SecretDigest) {
        state.withLock { $0.cache.end(secret, now: WallClock.milliseconds()) }
    }

    private func caller(
        _ digest: SecretDigest,
        _ context: APIContext,
        _ refusal: String,
        _ outlastsOutages: Bool,
        _ question: @escaping Question
    ) async throws(Problem) -> Caller {
        let now = WallClock.milliseconds()
        let known = try await grant(digest, context, outlastsOutages, now: now, question)
        guard let grant = known else { throw .unauthorized(refusal) }
        let key = grant.key
        context.caller.note(key.id)
        let isToBeNoted = state.withLock { state in
            // Not of a grant that outlasts an outage: nobody could write it down.
            state.cache.grant(digest, now: now) != nil && state.cache.mayNoteUse(digest, now: now)
        }
        if isToBeNoted {
            let database = database
            store.post { client throws(MongoError) in
                try KeyWriter(client: client, database: database).noteUse(of: key.id, at: now)
            }
        }
        let allowance = state.withLock { $0.callers.take(key.id, now: .now()) }
        guard allowance.isGranted else { throw .tooOften(allowance) }
        return Caller(key: key, session: grant.session, secret: digest, allowance: allowance)
    }

    /// What a secret stands for, as was found lately, or as the store says.
    ///
    /// - Returns: `nil` for nothing that lets anybody in.
    /// - Throws: ``Problem`` as ``lookUp(_:_:until:now:_:)`` does, and 503 if the store cannot say, unless it may be left unsaid.
    private func grant(
        _ digest: SecretDigest,
        _ context: APIContext,
        _ outlastsOutages: Bool,
        now: Int64,
        _ question: @escaping Question
    ) async throws(Problem) -> AccessGrant? {
        if let known = state.withLock({ $0.cache.grant(digest, now: now) }) { return known }
        let former = outlastsOutages ? state.withLock { $0.cache.grantOfOutage(digest, now: now) } : nil
        guard let former else {
            return try await lookUp(digest, context, until: context.deadline, now: now, question)
        }
        // Who asks for the state has no time to wait for what is known to be away.
        guard storeAnswers.check().isSound else { return former }
        do throws(Problem) {
            let deadline = min(context.deadline, MonotonicTime.now().advanced(by: Self.outageWait))
            return try await lookUp(digest, context, until: deadline, now: now, question)
        } catch {
            guard error.status == .serviceUnavailable else { throw error }
            return former
        }
    }

    /// Asks the store.
    ///
    /// - Throws: ``Problem`` 429 for a secret that nobody knows, from an address that shows too many of them.
    private func lookUp(
        _ digest: SecretDigest,
        _ context: APIContext,
        until deadline: MonotonicTime,
        now: Int64,
        _ question: @escaping Question
    ) async throws(Problem) -> AccessGrant? {
        let address = context.neighbourhood
        let pass = state.withLock { state in
            let isSuspect = !state.strangers.hasAny(address, now: .now())
            return state.lookUps.enter(address, isSuspect: isSuspect)
        }
        guard pass else {
            throw Problem(.tooManyRequests, "too many unknown keys are being looked up").with(.retryAfter, "1")
        }
        defer { state.withLock { $0.lookUps.leave(address) } }
        let found = try await store.ask(until: deadline, question)
        guard let found, found.isGood(now: now) else {
            state.withLock { $0.cache.forget(digest) }
            try charge(context)
            return nil
        }
        state.withLock { $0.cache.keep(found, digest, now: now) }
        return found
    }

    /// Counts against an address what nobody knows.
    ///
    /// - Throws: ``Problem`` 429 where that was too much.
    private func charge(_ context: APIContext) throws(Problem) {
        let allowance = state.withLock { $0.strangers.take(context.neighbourhood, now: .now()) }
        guard allowance.isGranted else { throw .tooOften(allowance) }
    }
}
