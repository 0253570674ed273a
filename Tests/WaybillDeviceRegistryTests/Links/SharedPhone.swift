import WaybillCore
import WaybillDeviceRegistryTestSupport
import WaybillEncoding
import WaybillMongo

@testable import WaybillDeviceRegistry

/// What people do to phones that they share.
enum PhoneAct: Hashable, CustomStringConvertible {
    /// An app registers its id with a token.
    case put(String, String, String)
    /// An app logs in by a token alone.
    case logIn(String, String)
    case logOut(String, String)
    /// An app takes its id away.
    case remove(String, String)
    /// The log-in ends, in which all of that was said.
    case end(String)
    /// The account is deleted.
    case depart(String)
    /// The push service calls a token dead.
    case die(String)

    var user: String? {
        switch self {
        case .put(let user, _, _), .logIn(let user, _), .logOut(let user, _), .remove(let user, _), .end(let user),
            .depart(let user):
            user
        case .die: nil
        }
    }

    var description: String {
        switch self {
        case .put(let user, let device, let token): "\(user) put \(device) \(token)"
        case .logIn(let user, let token): "\(user) log-in \(token)"
        case .logOut(let user, let token): "\(user) log-out \(token)"
        case .remove(let user, let device): "\(user) remove \(device)"
        case .end(let user): "\(user) end"
        case .depart(let user): "\(user) depart"
        case .die(let token): "die \(token)"
        }
    }
}

extension PhoneAct {
    /// By which its user is told then.
    var tokens: Set<String> {
        switch self {
        case .put(_, _, let token), .logIn(_, let token): [token]
        case .logOut, .die, .remove, .end, .depart: []
        }
    }

    /// The same of phones and tokens of their own, and of people of their own.
    func named(_ suffix: String, withPeople: Bool = true) -> PhoneAct {
        func who(_ user: String) -> String { withPeople ? user + suffix : user }
        return switch self {
        case .put(let user, let device, let token): .put(who(user), device + suffix, token + suffix)
        case .logIn(let user, let token): .logIn(who(user), token + suffix)
        case .logOut(let user, let token): .logOut(who(user), token + suffix)
        case .remove(let user, let device): .remove(who(user), device + suffix)
        case .end(let user): .end(who(user))
        case .depart(let user): .depart(who(user))
        case .die(let token): .die(token + suffix)
        }
    }
}

/// Who is told by which token, as the rules say: what somebody does changes that for nobody else.
struct ToldModel: Hashable {
    private(set) var told: [String: Set<String>] = [:]

    init(_ told: [String: Set<String>]) { self.told = told.filter { !$0.value.isEmpty } }

    /// After an act.
    ///
    /// - Parameters:
    ///   - act: what was done.
    ///   - isTaken: false where it was refused.
    ///   - former: the token by which the act's user was told under the id of the act, or was last.
    /// - Returns: who is told then.
    func after(_ act: PhoneAct, isTaken: Bool = true, former: String? = nil) -> ToldModel {
        guard isTaken else { return self }
        var told = told
        switch act {
        case .put(let user, _, let token):
            if let former { told[user]?.remove(former) }
            told[user, default: []].insert(token)
        case .logIn(let user, let token): told[user, default: []].insert(token)
        case .logOut(let user, let token): told[user]?.remove(token)
        case .remove(let user, _): if let former { told[user]?.remove(former) }
        case .end(let user), .depart(let user): told[user] = []
        case .die(let token): for user in told.keys { told[user]?.remove(token) }
        }
        return ToldModel(told)
    }
}

/// Phones and their people on the real store.
struct SharedPhones {
    static let app = "com.example.parcels"

    let users: UserDevices
    let links: DeviceLinks
    let store: RegistryStore
    let client: MongoClient

    static func run(_ test: (SharedPhones) throws -> Void) async throws {
        try await RegistryStore.withStore { store in
            let client = try store.pool.pop()
            defer { store.pool.push(client) }
            let users = UserDevices(client: client, database: store.database)
            try test(SharedPhones(users: users, links: users.links, store: store, client: client))
        }
    }

    static func address(_ token: String) -> DeviceAddress {
        DeviceAddress(provider: .apns, app: app, environment: .production, token: token)
    }

    func told(_ people: [String]) throws -> ToldModel {
        let devices = try links.devices(ofEach: people, app: Self.app)
        return ToldModel(
            Dictionary(uniqueKeysWithValues: devices.map { ($0.key.text, Set($0.value.compactMap(\.token))) })
        )
    }

    /// The token of a person's link under an id, by its hash among those that there are.
    func token(
        of user: String,
        under device: String,
        among tokens: [String]
    ) throws -> (token: String, isEnabled: Bool)? {
        guard let link = try links.link(of: user, on: device, app: Self.app) else { return nil }
        return tokens.first { LinkedToken.hash($0) == link.token?.text }.map { ($0, link.isEnabled) }
    }

    /// Does it, at once.
    ///
    /// - Returns: false where it was refused.
    func act(_ act: PhoneAct, tags: [String]? = nil, at time: Int64) throws -> Bool {
        switch act {
        case .put(let user, let device, let token):
            var entry = DeviceRegistrarTests.entry(token, at: time, device: device)
            entry.tags = tags
            return try users.logIn(user: user, as: entry, in: "log-in of \(user)", now: time)
        case .logIn(let user, let token):
            try users.logIn(user: user, on: Self.address(token), in: "log-in of \(user)", client: nil, now: time)
        case .logOut(let user, let token): try users.logOut(user: user, of: Self.address(token), now: time)
        case .remove(let user, let device):
            guard let link = try links.link(of: user, on: device, app: Self.app) else { return false }
            try links.logOut(link, at: time)
        case .end(let user): try links.logOut(user: user, of: .these(["log-in of \(user)"]), at: time)
        case .depart(let user): try users.depart(user: user, now: time)
        case .die(let token):
            return try users.registrar.disable(Self.address(token), reason: "Unregistered", now: time)
        }
        return true
    }

    /// The same, step by step.
    func steps(
        _ act: PhoneAct,
        at time: Int64,
        grain: PhoneSteps.Grain = .middle
    ) throws -> any SharedPhoneSteps {
        switch act {
        case .put(let user, let device, let token):
            let entry = DeviceRegistrarTests.entry(token, at: time, device: device)
            return try PhoneSteps(user, entry, client, store.database, now: time, grain: grain)
        case .logIn(let user, let token): return TokenSteps(user, Self.address(token), users, now: time)
        case .depart(let user): return DepartureSteps(user, users, now: time)
        default: return OneStep { _ = try self.act(act, at: time) }
        }
    }

    func document(_ token: String) throws -> BSONDocument? {
        try store.devices(BSONDocument { $0.append("token", string: token) }).first
    }
}
