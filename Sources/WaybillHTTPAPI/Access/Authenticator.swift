import Hummingbird
import WaybillAccounts
import WaybillMongo
import WaybillThreads

/// Finds out whose a request is: by `Authorization: Bearer` and nothing else, never by the URL.
final class Authenticator: Sendable {
    private struct State {
        var cache = KeyCache()
        var callers = TokenBuckets()
        /// By address: each key that nobody knows costs a question to the store.
        var strangers = TokenBuckets()
    }

    private let store: StoreWorkers
    private let database: String
    private let state = Guarded(State())

    init(store: StoreWorkers, database: String) {
        self.store = store
        self.database = database
    }

    /// Who asks.
    ///
    /// - Throws: ``Problem`` 401 without a good key, 429 for one that asks too often, 503 if the store cannot say.
    func caller(_ request: Request, _ context: APIContext) async throws(Problem) -> Caller {
        let secret = try Self.secret(request)
        let digest = secret.digest
        let now = WallClock.milliseconds()
        var known = state.withLock { $0.cache.key(digest, now: now) }
        if known == nil { known = try await lookUp(digest, context, now: now) }
        guard let key = known else { throw .unauthorized("nobody knows this key, or it has ended") }
        context.caller.note(key.id)
        if state.withLock({ $0.cache.mayNoteUse(digest, now: now) }) {
            let database = database
            store.post { client throws(MongoError) in
                try KeyWriter(client: client, database: database).noteUse(of: key.id, at: now)
            }
        }
        let allowance = state.withLock { $0.callers.take(key.id, now: .now()) }
        guard allowance.isGranted else { throw Self.tooOften(allowance) }
        return Caller(key: key, allowance: allowance)
    }

    private func lookUp(_ digest: KeyDigest, _ context: APIContext, now: Int64) async throws(Problem) -> AccessKey? {
        let allowance = state.withLock { $0.strangers.take(context.address ?? "", now: .now()) }
        guard allowance.isGranted else { throw Self.tooOften(allowance) }
        let database = database
        let found = try await store.ask(until: context.deadline) { client throws(MongoError) in
            try KeyReader(client: client, database: database).key(digest)
        }
        guard let found, found.isGood(now: now) else { return nil }
        state.withLock { $0.cache.keep(found, digest, now: now) }
        return found
    }

    private static func secret(_ request: Request) throws(Problem) -> KeySecret {
        let fields = request.headers[values: .authorization]
        guard let field = fields.first, fields.count == 1 else {
            throw .unauthorized("send a key as: Authorization: Bearer wbk_live_…")
        }
        let words = field.split(separator: " ", omittingEmptySubsequences: true)
        guard words.count == 2, words[0].lowercased() == "bearer" else {
            throw .unauthorized("send a key as: Authorization: Bearer wbk_live_…")
        }
        guard let secret = KeySecret(String(words[1])) else {
            throw .unauthorized("this has not the form of a key, or there is a slip of the pen in it")
        }
        return secret
    }

    private static func tooOften(_ allowance: TokenBuckets.Allowance) -> Problem {
        var problem = Problem(.tooManyRequests, "at most \(APILimits.burst) requests at once, and 10 a second")
            .with(.retryAfter, "1")
        for (name, value) in RateLimitFields.of(allowance) { problem.headers[name] = value }
        return problem
    }
}
