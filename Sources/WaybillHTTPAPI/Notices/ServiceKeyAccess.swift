import HTTPTypes
import Hummingbird
import WaybillAccounts
import WaybillMongo
import WaybillSettings
import WaybillThreads

/// Finds out what a service's key allows: shown in `Authorization: Bearer`, never in the URL.
final class ServiceKeyAccess: Sendable {
    /// How old what the store says of a key's last use may be, in milliseconds.
    private static let useInterval: Int64 = 60_000

    private struct State: Sendable {
        var callers = TokenBuckets()
        var strangers = TokenBuckets()
        var lookUps = LookUpLimit()
    }

    private let door: FrontDoor
    private let state = Guarded(State())

    init(door: FrontDoor) {
        self.door = door
    }

    /// Whether what a request shows has a key's form, and so is no access token.
    static func isShown(_ request: Request) -> Bool { shown(request).map(Credential.isKey) ?? false }

    /// What the key of a request allows.
    ///
    /// - Returns: that, and how often it may ask.
    /// - Throws: ``Problem`` 401 without a good key, 403 for one of a suspended service, 429 for one who asks too often, or from where
    ///   too many keys are shown that nobody knows, 503 if the store cannot say.
    func grant(
        _ request: Request,
        _ context: APIContext
    ) async throws(Problem) -> (ServiceGrant, TokenBuckets.Allowance) {
        let shown = Self.shown(request) ?? ""
        guard let secret = KeySecret(shown) else {
            let other = "send a service's key as: Authorization: Bearer wbk_…"
            throw .keyless(Credential.fault(of: shown, otherwise: other))
        }
        let (place, now) = (context.neighbourhood, WallClock.milliseconds())
        let pass = state.withLock { state in
            // Others at that place may have good keys: they are looked up more slowly, and still are.
            let isSuspect = !state.strangers.hasAny(place, now: .now())
            return state.lookUps.enter(place, isSuspect: isSuspect)
        }
        guard pass else { throw .tooManyUnknownKeys }
        defer { state.withLock { $0.lookUps.leave(place) } }
        let door = door
        let found = try await door.ask(door.people, context) { client throws(MongoError) in
            try ServiceKeyReader(client: client, database: door.database).grant(shown: secret, now: now)
        }
        guard let grant = try found.mapError({ Problem(asking: $0) }).get() else {
            let allowance = state.withLock { $0.strangers.take(place, now: .now()) }
            guard allowance.isGranted else { throw .tooManyUnknownKeys }
            throw .unauthorized("the key is none of a service here, or it has ended")
        }
        context.caller.note(grant.keyID)
        let allowance = state.withLock { $0.callers.take(grant.keyID, now: .now()) }
        guard allowance.isGranted else { throw .tooOften(allowance) }
        guard grant.isActive else { throw Problem(.forbidden, "this service is suspended, or its owner's account is") }
        noteUse(of: grant, from: place, now: now)
        return (grant, allowance)
    }

    /// Nobody waits for it.
    private func noteUse(of grant: ServiceGrant, from place: String, now: Int64) {
        guard now - (grant.lastUsedAt ?? 0) >= Self.useInterval else { return }
        let (door, key) = (door, grant.keyID)
        door.people.post { client throws(MongoError) in
            try ServiceKeyStore(client: client, database: door.database, most: door.settings.services.keys)
                .noteUse(of: key, from: place, now: now)
        }
    }

    private static func shown(_ request: Request) -> String? {
        let fields = request.headers[values: .authorization]
        let words = fields.first?.split(separator: " ") ?? []
        guard fields.count == 1, words.count == 2, words[0].lowercased() == "bearer" else { return nil }
        return String(words[1])
    }
}
