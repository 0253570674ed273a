import Testing
import WaybillDeviceRegistry
import WaybillMongo
import WaybillMongoTestSupport
import WaybillPassword

@testable import WaybillAccounts

/// Accounts in a database of a test's own, with passwords that cost little.
struct AccountRig {
    static let now: Int64 = 1_700_000_000_000
    static let home = "192.0.2.1"
    static let cheap = PasswordCost(memory: 64, passes: 1, lanes: 1)

    let client: MongoClient
    let database: String
    var rules: AccountRules

    static func rules(_ secret: UInt8 = 1, former: UInt8? = nil, cost: PasswordCost = cheap) throws -> AccountRules {
        let keys = TokenKeys(
            root: [UInt8](repeating: secret, count: 32),
            former: former.map { [UInt8](repeating: $0, count: 32) }
        )
        return AccountRules(keys: try #require(keys), issuer: "https://push.example.com", cost: cost)
    }

    static func run(_ body: (AccountRig) throws -> Void) throws {
        try TestDatabase.withDatabase { client, database in
            _ = try AccountsIndexes.ensure(client: client, database: database)
            _ = try DeviceRegistryIndexes.ensure(client: client, database: database)
            try body(AccountRig(client: client, database: database, rules: rules()))
        }
    }

    var signUp: SignUp { SignUp(client: client, database: database, rules: rules) }
    var confirmation: AddressConfirmation { AddressConfirmation(client: client, database: database, rules: rules) }
    var logIn: LogIn { LogIn(client: client, database: database, rules: rules) }
    var logins: LoginStore { LoginStore(client: client, database: database, rules: rules) }
    var tokens: AccessTokens { AccessTokens(client: client, database: database, rules: rules) }
    var reader: AccountReader { AccountReader(client: client, database: database) }

    func password(_ text: String = "correct horse") throws -> PlainPassword { try #require(PlainPassword(text)) }

    func register(
        _ name: String = "Ada.L",
        _ email: String = "Ada@Example.com",
        now: Int64 = now
    ) throws -> (account: Account, token: ConfirmationToken) {
        try signUp.register(
            try #require(AccountName(name)),
            try #require(EmailAddress(email)),
            password(),
            now: now
        )
    }

    /// An account whose address is confirmed.
    func confirmed(_ name: String = "Ada.L", _ email: String = "Ada@Example.com") throws -> Account {
        try confirmation.confirm(register(name, email).token.reveal(), now: Self.now)
    }

    /// Changes documents as an operator would by hand.
    func set(_ collection: String, id: String, _ field: StaticString, date: Int64) throws {
        let bulk = client.collection(database: database, name: collection).bulk()
        try bulk.updateOne(
            filter: BSONDocument { $0.append("_id", string: id) },
            update: BSONDocument { $0.append("$set") { $0.append(field, date: date) } },
            upsert: false
        )
        try bulk.execute().requireDurable("set")
    }
}

// What a test says nothing of comes from one place.

extension LogIn {
    func account(called text: String, _ password: PlainPassword?, now: Int64) throws(LogInProblem) -> Account {
        try account(called: text, password, from: AccountRig.home, now: now)
    }
}

extension PasswordReset {
    func use(_ text: String, _ password: PlainPassword, now: Int64) throws(PasswordResetProblem) -> Account {
        try use(text, password, from: AccountRig.home, now: now)
    }
}

extension AddressConfirmation {
    func confirm(_ text: String, now: Int64) throws(ConfirmationProblem) -> Account {
        try confirm(text, from: AccountRig.home, now: now)
    }
}
