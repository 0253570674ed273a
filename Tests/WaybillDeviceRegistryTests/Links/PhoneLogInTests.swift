import Testing
import WaybillDeviceRegistryTestSupport
import WaybillEncoding
import WaybillMongo
import WaybillMongoTestSupport
import WaybillTestSupport

@testable import WaybillDeviceRegistry

/// One phone that several people register at the same moment.
@Suite(.enabled(if: TestDatabase.isAvailable, "WAYBILL_TEST_STORE is not set"))
struct PhoneLogInTests {
    private static let app = "com.example.parcels"
    private static let now = DeviceRegistrarTests.now

    private static func entry(_ token: String, device: String = "phone", at time: Int64 = now) -> DeviceEntry {
        DeviceRegistrarTests.entry(token, at: time, device: device)
    }

    private typealias Steps = PhoneSteps

    /// All ways to put the steps of two into one order: each is a set of the places of the first one's.
    private static let orders = Steps.orders(of: Steps.count, beside: Steps.count)

    private static func withClient(_ pool: MongoPool, _ body: (MongoClient) throws -> Void) throws {
        let client = try pool.pop()
        defer { pool.push(client) }
        try body(client)
    }

    private static func token(_ store: RegistryStore, _ token: String) throws -> BSONDocument? {
        try store.devices().first { $0["token"]?.string == token }
    }

    /// Both come with the same token, in any order of their steps, to a phone that is new, or whose token has just changed.
    @Test(arguments: [false, true]) func oneTokenIsOnePhoneInAnyOrder(hadAnother: Bool) async throws {
        try await RegistryStore.withStore { store in
            try Self.withClient(store.pool) { (client: MongoClient) throws in
                for (number, order) in Self.orders.enumerated() {
                    let (device, token) = ("phone-\(number)", "aa\(number)")
                    let users = UserDevices(client: client, database: store.database)
                    if hadAnother {
                        let former = Self.entry("bb\(number)", device: device, at: Self.now - 10)
                        #expect(try users.logIn(user: "A", as: former, now: Self.now - 10))
                    }
                    let entry = Self.entry(token, device: device)
                    let first = try Steps("A", entry, client, store.database)
                    let second = try Steps("B", entry, client, store.database)
                    for isFirst in order { try (isFirst ? first : second).next() }
                    let shown = order.map { $0 ? "A" : "B" }.joined()
                    #expect(first.answer == true, "\(shown)")
                    // Who comes before the token is there finds another one, where there was one.
                    if !hadAnother { #expect(second.answer == true, "\(shown)") }
                    let document = try #require(try Self.token(store, token))
                    #expect(document["enabled"]?.bool == true, "\(shown)")
                    #expect(document["history"] == nil, "\(shown)")
                    let links = DeviceLinks(client: client, database: store.database)
                    #expect(try links.devices(of: "A", app: Self.app).contains { $0.token == token }, "\(shown)")
                    // And once more, as apps do at each start.
                    let again = Self.entry(token, device: device, at: Self.now + 1)
                    for user in ["A", "B"] {
                        #expect(try users.logIn(user: user, as: again, now: Self.now + 1), "\(shown) \(user)")
                    }
                }
            }
        }
    }

    /// Whoever knows an id has nobody's pushes come to a token of their own, in any order of the steps.
    @Test(arguments: [0, 1] as [Int64]) func twoTokensAreNeverOnePhone(later: Int64) async throws {
        try await RegistryStore.withStore { store in
            try Self.withClient(store.pool) { (client: MongoClient) throws in
                for (number, order) in Self.orders.enumerated() {
                    let device = "phone-\(number)"
                    let own = Self.entry("aa\(number)", device: device)
                    let other = Self.entry("bb\(number)", device: device, at: Self.now + later)
                    let first = try Steps("A", own, client, store.database)
                    let second = try Steps("B", other, client, store.database, now: Self.now + later)
                    for isFirst in order { try (isFirst ? first : second).next() }
                    let links = DeviceLinks(client: client, database: store.database)
                    let shown = order.map { $0 ? "A" : "B" }.joined()
                    #expect(first.answer != true || second.answer != true, "\(shown)")
                    let ofFirst = try links.devices(of: "A", app: Self.app).map(\.token)
                    let ofSecond = try links.devices(of: "B", app: Self.app).map(\.token)
                    #expect(ofFirst.contains("aa\(number)") == (first.answer == true), "\(shown)")
                    #expect(ofSecond.contains("bb\(number)") == (second.answer == true), "\(shown)")
                    #expect(!ofFirst.contains("bb\(number)") && !ofSecond.contains("aa\(number)"), "\(shown)")
                }
            }
        }
    }

    /// Two people of one phone and a stranger who knows its id, in orders by lot: the phone's people have what they had before he
    /// came or are told to make a new id, and nobody's pushes go to a token that they have not told.
    @Test(arguments: [false, true]) func aStrangerBesideTwoPeopleOfOnePhone(isKnown: Bool) async throws {
        var generator = SplitMix(state: isKnown ? 11 : 7)
        let orders = (0..<50).map { _ in
            (0..<3 * Steps.count).map { $0 % 3 }.shuffled(using: &generator)
        }
        try await RegistryStore.withStore { store in
            try Self.withClient(store.pool) { (client: MongoClient) throws in
                let users = UserDevices(client: client, database: store.database)
                let links = DeviceLinks(client: client, database: store.database)
                for (number, order) in orders.enumerated() {
                    let device = "phone-\(number)"
                    let own = Self.entry("aa\(number)", device: device)
                    if isKnown {
                        let before = Self.entry("aa\(number)", device: device, at: Self.now - 10)
                        #expect(try users.logIn(user: "A", as: before, now: Self.now - 10))
                    }
                    let other = Self.entry("bb\(number)", device: device, at: Self.now + 1)
                    let all = try [("A", own), ("B", own), ("C", other)].map { user, entry in
                        try Steps(user, entry, client, store.database)
                    }
                    for person in order { try all[person].next() }
                    let shown = order.map { ["A", "B", "C"][$0] }.joined()
                    let isOwners = all[0].answer == true || all[1].answer == true
                    #expect(!isOwners || all[2].answer != true, "\(shown)")
                    if isKnown {
                        #expect(all.map(\.answer) == [true, true, false], "\(shown)")
                        #expect(try Self.token(store, "aa\(number)")?["enabled"]?.bool == true, "\(shown)")
                    }
                    for user in ["A", "B"] {
                        let tokens = try links.devices(of: user, app: Self.app).map(\.token)
                        #expect(!tokens.contains("bb\(number)"), "\(shown) \(user)")
                    }
                    let strangers = try links.devices(of: "C", app: Self.app).map(\.token)
                    #expect(!strangers.contains("aa\(number)"), "\(shown)")
                }
            }
        }
    }

    /// Who knows somebody's token, and has a phone of their own, puts nobody out by saying that token for it.
    @Test func aTokenThatIsSaidForAnotherPhonePutsNobodyOut() async throws {
        try await RegistryStore.withStore { store in
            try Self.withClient(store.pool) { (client: MongoClient) throws in
                let users = UserDevices(client: client, database: store.database)
                let links = DeviceLinks(client: client, database: store.database)
                func put(_ user: String, _ token: String, _ device: String, at time: Int64) throws -> Bool {
                    let entry = Self.entry(token, device: device, at: Self.now + time)
                    return try users.logIn(user: user, as: entry, now: Self.now + time)
                }
                func reached(_ user: String) throws -> [String?] {
                    try links.devices(of: user, app: Self.app).map(\.token)
                }
                #expect(try put("A", "aa", "of A", at: 0))
                #expect(try put("B", "bb", "of B", at: 1))
                #expect(try put("B", "aa", "of B", at: 2))
                #expect((try reached("A"), try reached("B")) == (["aa"], ["aa"]))
                #expect(try Self.token(store, "aa")?["history"] == nil)
                // What A was told under stays A's, and so it does where B says the own token again.
                #expect(try Self.token(store, "aa")?["device"]?.string == "of A")
                #expect(try put("B", "bb", "of B", at: 3))
                #expect((try reached("A"), try reached("B")) == (["aa"], ["bb"]))
                #expect(try put("A", "aa", "of A", at: 4))
                #expect((try reached("A"), try reached("B")) == (["aa"], ["bb"]))
                #expect(try links.all(of: "A").map(\.device) == ["of A"])
                // B's phone is the one by its token, under whatever id that stands.
                #expect(try put("B", "aa", "of B", at: 5))
                let each = try links.devices(ofEach: ["A", "B"], app: Self.app, except: "of B")
                #expect(each.mapValues { $0.map(\.token) } == ["A": ["aa"]])
                #expect(try links.registered(links.all(of: "A")).count == 1)
                let owners = try links.owners(among: ["A", "B", "C"], app: Self.app)
                #expect(owners.documents.count == 1 && owners.devices.isEmpty && owners.users == ["C"])
                // A's account goes, B's phone stays; and the other way round.
                try users.depart(user: "A", now: Self.now + 6)
                #expect((try reached("A"), try reached("B")) == ([], ["aa"]))
                try users.depart(user: "B", now: Self.now + 7)
                #expect(try Self.token(store, "aa")?["enabled"]?.bool == false)
            }
        }
    }

    /// Links that an earlier release has made know no document, or not even the token.
    @Test(arguments: [true, false]) func anEarlierLinkIsTiedToItsToken(knowsToken: Bool) async throws {
        try await RegistryStore.withStore { store in
            try Self.withClient(store.pool) { (client: MongoClient) throws in
                let users = UserDevices(client: client, database: store.database)
                let links = DeviceLinks(client: client, database: store.database)
                let entry = Self.entry("aa", device: "of A")
                _ = try users.registrar.register([entry], now: Self.now)
                let token = knowsToken ? LinkedToken(entry.address) : nil
                _ = try links.logIn(user: "A", device: "of A", app: Self.app, by: token, at: Self.now)
                for (number, device) in ["of B", "another of B"].enumerated() {
                    let time = Self.now + Int64(number) + 1
                    #expect(try users.logIn(user: "B", as: Self.entry("aa", device: device, at: time), now: time))
                    #expect(try links.devices(of: "A", app: Self.app).map(\.token) == ["aa"])
                }
            }
        }
    }

    /// A registry that was filled anew has other documents: a link finds its token by its id then.
    @Test func aLinkToADocumentThatHasGone() async throws {
        try await RegistryStore.withStore { store in
            try Self.withClient(store.pool) { (client: MongoClient) throws in
                let users = UserDevices(client: client, database: store.database)
                let links = DeviceLinks(client: client, database: store.database)
                let gone = BSONIdentifier(objectID: "0123456789abcdef01234567")
                let entry = Self.entry("aa")
                _ = try users.registrar.register([entry], now: Self.now)
                let token = LinkedToken(entry.address, document: gone)
                _ = try links.logIn(user: "A", device: "phone", app: Self.app, by: token, at: Self.now)
                #expect(try links.devices(of: "A", app: Self.app).map(\.token) == ["aa"])
                #expect(try users.logIn(user: "A", as: Self.entry("aa", at: Self.now + 1), now: Self.now + 1))
                let other = Self.entry("aa", device: "another", at: Self.now + 2)
                #expect(try users.logIn(user: "B", as: other, now: Self.now + 2))
                #expect(try links.devices(of: "A", app: Self.app).map(\.token) == ["aa"])
            }
        }
    }

    /// One who comes for an id with the own token and with another person's, in any order of the steps: that person is told at
    /// their own token all the while, and nowhere else.
    @Test(arguments: [0, 1]) func anotherPersonsTokenBesideTheOwn(ownIsLater: Int64) async throws {
        try await RegistryStore.withStore { store in
            try Self.withClient(store.pool) { (client: MongoClient) throws in
                let users = UserDevices(client: client, database: store.database)
                let links = DeviceLinks(client: client, database: store.database)
                for (number, order) in Self.orders.enumerated() {
                    let (device, alice) = ("phone-\(number)", "A\(number)")
                    let (theirs, own) = ("aa\(number)", "bb\(number)")
                    let before = Self.entry(theirs, device: "of \(alice)", at: Self.now - 10)
                    #expect(try users.logIn(user: alice, as: before, now: Self.now - 10))
                    let entries = [
                        Self.entry(theirs, device: device, at: Self.now + 1 - ownIsLater),
                        Self.entry(own, device: device, at: Self.now + ownIsLater),
                    ]
                    let steps = try entries.map { try Steps("B\(number)", $0, client, store.database) }
                    let shown = order.map { $0 ? "a" : "b" }.joined()
                    for isFirst in order {
                        try steps[isFirst ? 0 : 1].next()
                        #expect(try links.devices(of: alice, app: Self.app).map(\.token) == [theirs], "\(shown)")
                    }
                    let document = try #require(try Self.token(store, theirs))
                    #expect(document["enabled"]?.bool == true && document["history"] == nil, "\(shown)")
                    // Of one id, one token is left.
                    let left = try store.devices().filter {
                        $0["device"]?.string == device && $0["enabled"]?.bool == true
                    }
                    #expect(left.count <= 1, "\(shown)")
                    // Where both were refused, nothing is pushed for it.
                    let reached = try links.devices(of: "B\(number)", app: Self.app).compactMap(\.token)
                    #expect(reached.count <= 1, "\(shown)")
                    if steps.allSatisfy({ $0.answer == false }) { #expect(reached.isEmpty, "\(shown)") }
                }
            }
        }
    }

    /// The same by many at once.
    @Test func anotherPersonsTokenBesideTheOwnAtOnce() async throws {
        try await RegistryStore.withStore { store in
            let (pool, database) = (store.pool, store.database)
            for number in 0..<40 {
                let (theirs, own) = ("aa\(number)", "bb\(number)")
                try Self.withClient(pool) { (client: MongoClient) throws in
                    let entry = Self.entry(theirs, device: "of A\(number)", at: Self.now - 10)
                    let users = UserDevices(client: client, database: database)
                    #expect(try users.logIn(user: "A\(number)", as: entry, now: Self.now - 10))
                }
                let device = "phone-\(number)"
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for token in [theirs, own, theirs, own].shuffled() {
                        let time = Self.now + Int64.random(in: 0...1)
                        group.addTask {
                            let client = try pool.pop()
                            defer { pool.push(client) }
                            let entry = Self.entry(token, device: device, at: time)
                            _ = try UserDevices(client: client, database: database)
                                .logIn(user: "B\(number)", as: entry, now: time)
                        }
                    }
                    try await group.waitForAll()
                }
                try Self.withClient(pool) { (client: MongoClient) throws in
                    let links = DeviceLinks(client: client, database: database)
                    #expect(try links.devices(of: "A\(number)", app: Self.app).map(\.token) == [theirs], "\(number)")
                }
            }
        }
    }

    /// Four people, two registries, some dozens of phones.
    @Test func manyAtOnceLoseNoPhone() async throws {
        try await RegistryStore.withStore { store in
            let (pool, database) = (store.pool, store.database)
            for number in 0..<40 {
                try await withThrowingTaskGroup(of: Bool.self) { group in
                    for user in ["A", "B", "C", "D"] {
                        group.addTask {
                            let client = try pool.pop()
                            defer { pool.push(client) }
                            return try UserDevices(client: client, database: database)
                                .logIn(
                                    user: user,
                                    as: Self.entry("aa\(number)", device: "phone-\(number)"),
                                    now: Self.now
                                )
                        }
                    }
                    for try await isLoggedIn in group { #expect(isLoggedIn, "\(number)") }
                }
            }
            let devices = try store.devices()
            #expect(devices.count == 40)
            #expect(devices.allSatisfy { $0["enabled"]?.bool == true && $0["history"] == nil })
            try Self.withClient(pool) { (client: MongoClient) throws in
                let links = DeviceLinks(client: client, database: database)
                for user in ["A", "B", "C", "D"] {
                    #expect(try links.devices(of: user, app: Self.app).count == 40)
                }
            }
        }
    }

    /// Whoever knows a token puts nobody out of the phone with a new id for it, and an app that has lost its id does not either.
    @Test func aTokenUnderANewIDTakesItsPeopleAlong() async throws {
        try await RegistryStore.withStore { store in
            try Self.withClient(store.pool) { (client: MongoClient) throws in
                let users = UserDevices(client: client, database: store.database)
                let links = DeviceLinks(client: client, database: store.database)
                func tokens(_ user: String) throws -> [String?] {
                    try links.devices(of: user, app: Self.app).map(\.token)
                }
                func logIn(_ user: String, _ device: String, at time: Int64) throws -> Bool {
                    let entry = Self.entry("aa", device: device, at: Self.now + time)
                    return try users.logIn(user: user, as: entry, in: "log-in of \(user)", now: Self.now + time)
                }
                for user in ["A", "B"] { #expect(try logIn(user, "old", at: 0)) }
                try links.logOut(user: "B", of: .these(["log-in of B"]), at: Self.now + 1)
                #expect(try logIn("C", "new", at: 2))
                #expect(try tokens("A") == ["aa"] && tokens("C") == ["aa"])
                // Who had logged out stays so.
                #expect(try tokens("B") == [])
                // And back again, as the app of the phone's owner does at its next start.
                #expect(try logIn("A", "old", at: 3))
                #expect(try tokens("A") == ["aa"] && tokens("C") == ["aa"])
                // The log-in is the one by which they came.
                try links.logOut(user: "C", of: .these(["log-in of C"]), at: Self.now + 4)
                #expect(try tokens("A") == ["aa"] && tokens("C") == [])
            }
        }
    }

    /// A phone whose one token was disabled is the same phone still.
    @Test func theOneTokenOfAPhoneComesBack() async throws {
        try await RegistryStore.withStore { store in
            try Self.withClient(store.pool) { (client: MongoClient) throws in
                let users = UserDevices(client: client, database: store.database)
                for user in ["A", "B"] {
                    #expect(try users.logIn(user: user, as: Self.entry("aa"), now: Self.now))
                }
                let address = Self.entry("aa").address
                _ = try users.registrar.disable(address, reason: DeviceRegistrar.replaced, now: Self.now + 1)
                let again = Self.entry("aa", at: Self.now + 2)
                for user in ["A", "B"] { #expect(try users.logIn(user: user, as: again, now: Self.now + 2)) }
                #expect(try Self.token(store, "aa")?["enabled"]?.bool == true)
            }
        }
    }
}
