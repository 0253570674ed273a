import Testing
import WaybillCore
import WaybillDeviceRegistry
import WaybillMongo
import WaybillMongoTestSupport
import WaybillPassword

@testable import WaybillAccounts

/// Phones are told nothing more when the log-in ends in which they were registered; against a real mongod.
@Suite(.enabled(if: TestDatabase.isAvailable))
struct LoginDevicesTests {
    private static let app = "com.example.parcels"
    private static let now = AccountRig.now

    private struct Rig {
        let accounts: AccountRig
        let account: Account
        var families: RefreshFamilies {
            RefreshFamilies(client: accounts.client, database: accounts.database, rules: accounts.rules)
        }
        var links: DeviceLinks { DeviceLinks(client: accounts.client, database: accounts.database) }

        /// Somebody logs in, and their app registers a phone.
        func phone(_ name: String) throws -> LoginTokens {
            let tokens = try families.begin(account, name: name, now: now)
            #expect(try register(name, tokens.login) == .loggedIn)
            return tokens
        }

        func register(_ name: String, _ login: Login, now: Int64 = now) throws -> DeviceLogInOutcome {
            var entry = DeviceEntry(address: LoginDevicesTests.address(name))
            entry.device = name
            entry.registeredAt = now
            return try DeviceLogIn(client: accounts.client, database: accounts.database, rules: accounts.rules)
                .register(entry, in: login, most: 20, now: now)
        }

        /// A phone of an earlier release, of which nobody knows the log-in.
        func older(_ name: String) throws {
            let users = UserDevices(client: accounts.client, database: accounts.database)
            try users.logIn(user: account.id, on: LoginDevicesTests.address(name), client: nil, now: now)
        }

        /// The names of the phones that are told.
        func told() throws -> Set<String> {
            Set(try links.devices(of: account.id, app: app).compactMap(\.token).compactMap(LoginDevicesTests.name))
        }
    }

    private static func run(_ body: (Rig) throws -> Void) throws {
        try AccountRig.run { accounts in try body(Rig(accounts: accounts, account: accounts.confirmed())) }
    }

    private static func address(_ name: String) -> DeviceAddress {
        DeviceAddress(provider: .apns, app: app, environment: .production, token: "00\(name)")
    }

    private static func name(_ token: String) -> String? { token.hasPrefix("00") ? String(token.dropFirst(2)) : nil }

    @Test func whatIsEndedIsToldNothing() throws {
        try Self.run { rig in
            let (first, _) = (try rig.phone("aa"), try rig.phone("bb"))
            try rig.older("cc")
            #expect(try rig.told() == ["aa", "bb", "cc"])
            let logins = rig.accounts.logins
            #expect(try !logins.end(first.login.id, of: "acc_somebody", now: Self.now + 1))
            #expect(try rig.told() == ["aa", "bb", "cc"])
            #expect(try logins.end(first.login.id, of: rig.account.id, now: Self.now + 1))
            #expect(try rig.told() == ["bb", "cc"])
            // Until somebody logs in there again.
            let again = try rig.families.begin(rig.account, name: nil, now: Self.now + 2)
            #expect(try rig.register("aa", again.login, now: Self.now + 2) == .loggedIn)
            #expect(try rig.told() == ["aa", "bb", "cc"])
        }
    }

    @Test func aPhoneGoesWithItsLatestLogIn() throws {
        try Self.run { rig in
            let first = try rig.phone("aa")
            let second = try rig.families.begin(rig.account, name: nil, now: Self.now + 1)
            #expect(try rig.register("aa", second.login, now: Self.now + 1) == .loggedIn)
            #expect(try rig.accounts.logins.end(first.login.id, of: rig.account.id, now: Self.now + 2))
            #expect(try rig.told() == ["aa"])
            #expect(try rig.accounts.logins.end(second.login.id, of: rig.account.id, now: Self.now + 3))
            #expect(try rig.told() == [])
        }
    }

    /// The thesis' API tells tokens alone.
    @Test func aTokenOfTheThesisAPIGoesWithItsLogIn() throws {
        try Self.run { rig in
            let (client, database, rules) = (rig.accounts.client, rig.accounts.database, rig.accounts.rules)
            let tokens = try rig.accounts.logins.begin(rig.account, now: Self.now)
            let outcome = try DeviceLogIn(client: client, database: database, rules: rules)
                .register(Self.address("aa"), in: tokens.login, client: nil, most: 20, now: Self.now)
            #expect(outcome == .loggedIn)
            #expect(try rig.told() == ["aa"])
            #expect(try rig.accounts.logins.end(tokens.login.id, of: rig.account.id, now: Self.now + 1))
            #expect(try rig.told() == [])
        }
    }

    /// Each order of a deletion (decided, its phones, erased) and of a registration beside it (written, looked at again).
    private static let orders = [
        "rldpe", "rdlpe", "rdple", "rdpel", "drlpe", "drple", "drpel", "dprle", "dprel", "dperl",
    ]

    /// After a deletion no phone is pushed to on which nobody else is logged in, whenever it was registered, by either API.
    @Test(arguments: [false, true]) func aPhoneBesideADeletionIsDisabled(isOfTheThesis: Bool) throws {
        try AccountRig.run { accounts in
            let (client, database, rules) = (accounts.client, accounts.database, accounts.rules)
            let users = UserDevices(client: client, database: database)
            let deletion = AccountDeletion(client: client, database: database, rules: rules)
            let logIn = DeviceLogIn(client: client, database: database, rules: rules)
            let eve = try accounts.confirmed("eve.e", "eve@example.com")
            for (number, order) in Self.orders.enumerated() {
                for isShared in [false, true] {
                    let name = "\(isShared ? "b" : "a")\(number)"
                    let account = try accounts.confirmed("zoe.\(name)", "zoe.\(name)@example.com")
                    let login = try accounts.logins.begin(account, now: Self.now).login
                    let address = Self.address(name)
                    if isShared { try users.logIn(user: eve.id, on: address, client: nil, now: Self.now - 1) }
                    var departing: DepartingAccount?
                    var outcome: DeviceLogInOutcome?
                    for (moment, step) in order.enumerated() {
                        let now = Self.now + Int64(moment)
                        switch step {
                        case "r" where isOfTheThesis:
                            try users.logIn(user: account.id, on: address, in: login.id, client: nil, now: now)
                        case "r":
                            var entry = DeviceEntry(address: address)
                            entry.device = "device-\(name)"
                            entry.registeredAt = now
                            #expect(try users.logIn(user: account.id, as: entry, in: login.id, now: now) || isShared)
                        case "l": outcome = try logIn.outcome(login, on: address, now: now)
                        case "d": departing = try deletion.decide(account.id, request: "req", now: now)
                        case "p": try users.depart(user: account.id, now: now)
                        default: try deletion.erase(try #require(departing), now: now)
                        }
                    }
                    #expect(outcome == (order.hasPrefix("rl") ? .loggedIn : .ended), "\(order)")
                    let devices = client.collection(database: database, name: "devices")
                    let device = try devices.findOne(BSONDocument { $0.append("token", string: address.token) })
                    #expect(device?["enabled"] == .bool(isShared), "\(order)")
                    let links = DeviceLinks(client: client, database: database)
                    #expect(try links.all(of: account.id).allSatisfy { !$0.isEnabled }, "\(order)")
                }
            }
        }
    }

    @Test func aReplayEndsThePhone() throws {
        try Self.run { rig in
            let (first, _) = (try rig.phone("aa"), try rig.phone("bb"))
            let second = try rig.families.renew(first.refresh, now: Self.now + 1)
            _ = try rig.families.renew(second.refresh, now: Self.now + 2)
            #expect(throws: FamilyProblem.replayed(login: first.login.id, account: rig.account.id)) {
                try rig.families.renew(first.refresh, now: Self.now + 3)
            }
            #expect(try rig.told() == ["bb"])
        }
    }

    /// Too many log-ins end the oldest.
    @Test func thePhoneOfTheOldestLogInGoesWithIt() throws {
        try Self.run { rig in
            _ = try rig.phone("aa")
            for number in 1...LoginStore.most {
                _ = try rig.families.begin(rig.account, name: nil, now: Self.now + Int64(number))
            }
            #expect(try rig.told() == [])
        }
    }

    @Test func anotherPasswordLeavesOnesOwnPhone() throws {
        try Self.run { rig in
            let (own, _) = (try rig.phone("aa"), try rig.phone("bb"))
            try rig.older("cc")
            let change = PasswordChange(
                client: rig.accounts.client,
                database: rig.accounts.database,
                cost: rig.accounts.rules.cost
            )
            let changed = try #require(
                try change.change(
                    rig.account,
                    to: rig.accounts.password("battery staple"),
                    keeping: own.login.id,
                    now: Self.now + 1
                )
            )
            #expect(try rig.families.carryOn(own.login, changed, now: Self.now + 1) != nil)
            #expect(try rig.told() == ["aa", "cc"])
        }
    }

    /// A log-in that is renewed while the password is changed keeps its phone, and one that is ended has none.
    @Test(arguments: [false, true]) func whatIsNotCarriedOnIsToldNothing(isEnded: Bool) throws {
        try Self.run { rig in
            let own = try rig.phone("aa")
            _ = try rig.families.renew(own.refresh, now: Self.now + 1)
            let change = PasswordChange(
                client: rig.accounts.client,
                database: rig.accounts.database,
                cost: rig.accounts.rules.cost
            )
            let changed = try #require(
                try change.change(
                    rig.account,
                    to: rig.accounts.password("battery staple"),
                    keeping: own.login.id,
                    now: Self.now + 2
                )
            )
            if isEnded { _ = try rig.accounts.logins.end(own.login.id, of: rig.account.id, now: Self.now + 2) }
            let carried = try rig.families.carryOn(own.login, changed, now: Self.now + 2)
            #expect((carried == nil) == isEnded)
            #expect(try rig.told() == (isEnded ? [] : ["aa"]))
        }
    }

    /// Whoever has lost the account has all phones silent, those of earlier releases among them; a link that is none silences nothing.
    @Test func aResetEndsAllPhones() throws {
        try Self.run { rig in
            _ = try rig.phone("aa")
            try rig.older("cc")
            let (client, database, rules) = (rig.accounts.client, rig.accounts.database, rig.accounts.rules)
            let reset = PasswordReset(client: client, database: database, rules: rules)
            let forged = ConfirmationToken(.reset, for: rig.account, rules, now: Self.now)
            let password = try rig.accounts.password("battery staple")
            #expect(throws: PasswordResetProblem.expired) {
                try reset.use(forged.reveal(), password, now: Self.now + 1)
            }
            #expect(try rig.told() == ["aa", "cc"])
            let link = try #require(try reset.begin(rig.account, now: Self.now + 1))
            _ = try reset.use(link.reveal(), password, now: Self.now + 1)
            #expect(try rig.told() == [])
        }
    }

    @Test func theWayBackEndsAllPhones() throws {
        try Self.run { rig in
            let (client, database, rules) = (rig.accounts.client, rig.accounts.database, rig.accounts.rules)
            let change = AddressChange(client: client, database: database, rules: rules)
            let email = try #require(EmailAddress("thief@example.com"))
            let token = try #require(try change.begin(rig.account, email, now: Self.now))
            let prepared = try change.prepare(token.reveal(), now: Self.now)
            _ = try change.confirm(prepared)
            _ = try rig.phone("aa")
            try rig.older("cc")
            #expect(try rig.told() == ["aa", "cc"])
            _ = try change.goBack(prepared.wayBack.reveal(), now: Self.now + 1)
            #expect(try rig.told() == [])
        }
    }

    /// An app that registers its phone just when its session ends.
    @Test func whatIsRegisteredTooLateIsToldNothing() throws {
        try Self.run { rig in
            let tokens = try rig.families.begin(rig.account, name: nil, now: Self.now)
            #expect(try rig.accounts.logins.end(tokens.login.id, of: rig.account.id, now: Self.now))
            #expect(try rig.register("aa", tokens.login, now: Self.now + 1) == .ended)
            #expect(try rig.told() == [])
        }
    }
}
