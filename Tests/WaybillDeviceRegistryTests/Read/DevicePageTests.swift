import Testing
import WaybillDeviceRegistryTestSupport
import WaybillMongo
import WaybillMongoTestSupport

@testable import WaybillDeviceRegistry

/// An app's devices, page after page, as an audience reads them.
@Suite(.enabled(if: TestDatabase.isAvailable, "WAYBILL_TEST_STORE is not set"))
struct DevicePageTests {
    private static let app = "com.example.parcels"

    private static func token(_ number: Int) -> String { "aa" + String(1000 + number) }

    private static let zones = ["Europe/Vienna", "Asia/Kolkata", nil]

    /// Devices with versions 1.0 to 1.11, and without one; every tenth is disabled.
    private static func withDevices(_ test: (MongoClient, String) throws -> Void) async throws {
        try await RegistryStore.withStore { store in
            let client = try store.pool.pop()
            defer { store.pool.push(client) }
            let bulk = client.collection(database: store.database, name: "devices").bulk()
            for number in 0..<260 {
                let writer = BSONWriter()
                writer.append("provider", string: "apns")
                writer.append("app", string: number < 250 ? app : "com.example.other")
                writer.append("environment", string: "production")
                writer.append("token", string: token(number))
                writer.append("enabled", bool: number % 10 != 9)
                if let zone = zones[number % 3] { writer.append("time_zone", string: zone) }
                writer.append("locale", string: ["de", "de-AT", "den", "fr-CA"][number % 4])
                if number % 13 != 12 { writer.append("app_version", string: "1.\(number % 13)") }
                try bulk.insert(writer)
            }
            try bulk.execute().requireDurable("insert")
            try test(client, store.database)
        }
    }

    /// Whether one question looks at all of them, or at some, or at one.
    @Test(arguments: [100_000, 225, 224, 30, 7, 1])
    func eachDeviceComesOnceInTheOrderOfTheirIDs(stretch: Int) async throws {
        try await Self.withDevices { client, database in
            let reader = DeviceReader(client: client, database: database, stretch: stretch)
            let all = DeviceQuery(app: Self.app, isEnabled: true)
            var (some, both, few) = (all, all, all)
            some.locales = ["de"]
            both.app = nil
            both.apps = [Self.app, "com.example.other"]
            both.versionFrom = [1, 9]
            few.locales = ["fr"]
            few.appVersion = "1.3"
            var disabled = DeviceQuery(app: Self.app, isEnabled: false)
            disabled.appVersion = "1.3"
            let cases: [(query: DeviceQuery, isMeant: (Int) -> Bool)] = [
                (all, { $0 < 250 && $0 % 10 != 9 }),
                (some, { $0 < 250 && $0 % 10 != 9 && $0 % 4 < 2 }),
                (both, { $0 % 10 != 9 && (9...11).contains($0 % 13) }),
                (few, { $0 < 250 && $0 % 10 != 9 && $0 % 4 == 3 && $0 % 13 == 3 }),
                (disabled, { $0 < 250 && $0 % 10 == 9 && $0 % 13 == 3 }),
                (DeviceQuery(app: Self.app), { $0 < 250 }),
                (DeviceQuery(), { _ in true }),
                (DeviceQuery(app: "com.example.none", isEnabled: true), { _ in false }),
            ]
            for (query, isMeant) in cases {
                let expected = (0..<260).filter(isMeant).map(Self.token)
                for limit in [10, 100] {
                    var (found, pages): ([String], [Int]) = ([], [])
                    var after: BSONIdentifier?
                    while case let page = try reader.page(query, after: after, limit: limit) {
                        found += page.devices.compactMap(\.address?.token)
                        pages.append(page.devices.count)
                        after = page.after
                        if page.isLast { break }
                        guard pages.count < 1000 else { break }
                    }
                    #expect(found == expected, "\(query)")
                    #expect(pages.allSatisfy { $0 <= limit } && pages.count < 1000, "\(pages)")
                }
                var told: [Int] = []
                #expect(try reader.count(query) { told.append($0) } == expected.count, "\(query)")
                #expect(told.last == expected.count && told == told.sorted())
                #expect(try reader.shares(query).reduce(0) { $0 + $1.devices } == expected.count, "\(query)")
                for zone in Self.zones {
                    let own = try reader.shares(query, byZone: true).filter { $0.zone == zone }
                    let inZone = (0..<260).filter { isMeant($0) && Self.zones[$0 % 3] == zone }
                    #expect(own.reduce(0) { $0 + $1.devices } == inZone.count, "\(query), \(zone ?? "none")")
                }
            }
            #expect(try reader.shares(both).map(\.address?.app).count == 2)
        }
    }

    /// Whoever has given up keeps the store no longer than one question takes.
    @Test func aCountEndsWhenNobodyWaits() async throws {
        try await Self.withDevices { (client, database) throws in
            let reader = DeviceReader(client: client, database: database, stretch: 50) { true }
            do throws(MongoError) {
                let number = try reader.count(DeviceQuery(app: Self.app, isEnabled: true))
                Issue.record("counted \(number)")
            } catch {
                #expect(error.code == .timeLimitExceeded)
            }
            let patient = DeviceReader(client: client, database: database, stretch: 500) { true }
            #expect(try patient.count(DeviceQuery(app: Self.app, isEnabled: true)) == 225)
        }
    }

    /// A page looks at one stretch, though what it means lies behind it.
    @Test func aPageLooksAtNoMoreThanAStretch() async throws {
        try await Self.withDevices { client, database in
            let reader = DeviceReader(client: client, database: database, stretch: 50)
            var query = DeviceQuery(app: Self.app, isEnabled: true)
            query.appVersion = "1.3"
            query.locales = ["fr"]
            let first = try reader.page(query, after: nil, limit: 10)
            #expect(first.devices.map(\.address?.token) == [Self.token(3)] && !first.isLast)
            let second = try reader.page(query, after: first.after, limit: 10)
            #expect(second.devices.map(\.address?.token) == [Self.token(55), Self.token(107)] && !second.isLast)
        }
    }

    /// By a driver of their own, others may write what none of ours writes.
    @Test func whatSaysNothingForCertainHasNoAddressAndANameWithoutItsToken() async throws {
        try await RegistryStore.withStore { store in
            let client = try store.pool.pop()
            defer { store.pool.push(client) }
            let bulk = client.collection(database: store.database, name: "devices").bulk()
            func insert(
                _ id: String,
                _ more: (BSONWriter) -> Void = { _ in },
                enabled: (BSONWriter) -> Void = { $0.append("enabled", bool: true) }
            ) throws {
                let writer = BSONWriter()
                writer.append("_id", string: id)
                writer.append("provider", string: "apns")
                writer.append("app", string: Self.app)
                writer.append("token", string: "aabb\(id.prefix(1))")
                enabled(writer)
                more(writer)
                try bulk.insert(writer)
            }
            let broken: ArraySlice<UInt8> = [0x61, 0xFF]
            try insert("1") { $0.append("token", string: "ccdd") }
            try insert("2") { $0.append("enabled", bool: false) }
            try insert("3") { $0.append("user", utf8: broken) }
            try insert("4") { writer in writer.append("tags") { $0.append("0", utf8: broken) } }
            try insert("5: AABB5") { $0.append("app", string: "com.example.other") }
            // Whose it is that nobody reads for an audience.
            try insert("6") { writer in writer.append("history") { $0.append("0", utf8: broken) } }
            try insert("7") { writer in
                for _ in 0..<2 { writer.append(name: "aabb7", int: 1) }
            }
            // The store finds `true` in it.
            let both = BSONValue.array(
                BSONDocument {
                    $0.append("0", bool: false); $0.append("1", bool: true)
                }
            )
            try insert("8", enabled: { _ = $0.append(name: "enabled", value: both) })
            try insert("9") { $0.append("kind", int: 5) }
            try insert("a token in some other form") { $0.append("kind", string: "x") }
            try bulk.execute().requireDurable("insert")
            let page = try DeviceReader(client: client, database: store.database)
                .page(DeviceQuery(app: Self.app, isEnabled: true), after: nil, limit: 20)
            #expect(
                page.devices.map { $0.flaw.map { "\($0)" } } == [
                    "1: token appears twice", "2: enabled appears twice", "3: user is not UTF-8",
                    "4: tags.0 is not UTF-8",
                    "an _id that holds its token: app appears twice", nil,
                    "7: a field that holds its token appears twice",
                    "8: enabled is no boolean", "9: kind is none that there is",
                    "an _id of 26 characters: kind is none that there is",
                ]
            )
            #expect(page.devices.map { $0.address?.token } == [nil, nil, nil, nil, nil, "aabb6", nil, nil, nil, nil])
        }
    }

    @Test func versionsAreComparedByTheirNumbersAndLocalesByTheirLanguage() async throws {
        try await Self.withDevices { client, database in
            let reader = DeviceReader(client: client, database: database)
            func count(_ change: (inout DeviceQuery) -> Void) throws -> Int {
                var query = DeviceQuery(app: Self.app)
                change(&query)
                return try reader.count(query)
            }
            func expected(_ isMeant: (Int) -> Bool) -> Int { (0..<250).count(where: isMeant) }
            #expect(try count { $0.versionFrom = [1, 9] } == expected { (9...11).contains($0 % 13) })
            #expect(try count { $0.versionFrom = [1] } == expected { $0 % 13 != 12 })
            #expect(try count { $0.versionBelow = [1, 0, 1] } == expected { $0 % 13 == 0 })
            let between = try count { query in
                query.versionFrom = [1, 2]
                query.versionBelow = [1, 10]
            }
            #expect(between == expected { (2...9).contains($0 % 13) })
            #expect(try count { $0.locales = ["de"] } == expected { $0 % 4 < 2 })
            #expect(try count { $0.locales = ["fr", "d.n"] } == expected { $0 % 4 == 3 })
        }
    }

    /// Devices with one field each, under ids that say which.
    private static func withFields(
        _ field: StaticString,
        _ values: [[UInt8]],
        _ test: (MongoCollection) throws -> Void
    ) async throws {
        try await RegistryStore.withStore { store in
            let client = try store.pool.pop()
            defer { store.pool.push(client) }
            try store.insert(
                values.enumerated().map { number, value in
                    let writer = BSONWriter()
                    writer.append("_id", int: number)
                    writer.append("app", string: app)
                    writer.append("token", string: token(number))
                    writer.append(field, utf8: value[...])
                    return writer
                }
            )
            try test(client.collection(database: store.database, name: "devices"))
        }
    }

    private static func found(
        in devices: MongoCollection,
        _ change: (inout DeviceQuery) -> Void
    ) throws -> Set<Int> {
        var query = DeviceQuery(app: app)
        change(&query)
        return Set(try devices.find(query.filter).all().compactMap { $0["_id"]?.amount })
    }

    @Test func aLocaleMeansItsRegionsHoweverItIsWritten() async throws {
        let texts = ["de", "de-AT", "de-CH", "den", "zh-Hans-CN", "zh-Hant-TW", "pt-BR", "(\u{301}"]
        let stored = texts.map { Array($0.utf8) }
        try await Self.withFields("locale", stored + [[0x64, 0x65, 0xFF]]) { devices throws in
            func meant(_ locales: String...) throws -> Set<Int> { try Self.found(in: devices) { $0.locales = locales } }
            #expect(try meant("de") == [0, 1, 2])
            #expect(try meant("DE_at") == [1])
            #expect(try meant("de_AT@rg=chzzzz", "den") == [1, 3])
            #expect(try meant("zh-Hans") == [4])
            #expect(try meant("zh_tw") == [] && meant("zh_hant") == [5])
            #expect(try meant("pt") == [6])
            #expect(try meant("(\u{301}") == [] && meant("d.") == [])
            let many = (0..<500).map { number in
                let letters = Array("abcdefghijklmnopqrstuvwxyz")
                return "\(letters[number / 26 % 26])\(letters[number % 26])-XX"
            }
            #expect(try Self.found(in: devices) { $0.locales = many.map { String($0.prefix(2)) } } == [0, 1, 2, 6])
            #expect(try Self.found(in: devices) { $0.locales = many } == [])
            #expect(try Self.found(in: devices) { $0.locales = Array(many.dropLast()) + ["pt-BR"] } == [6])
        }
    }

    @Test func aVersionIsComparedByItsLeadingNumbers() async throws {
        let stored = [
            "2.10", "v2.10", "2.10 (345)", "2.10-rc.1", "2.9.9", "2", "beta", "", "2.x.99", "3.0b1",
            "1.\(String(repeating: "9", count: 30))",
        ].map { Array($0.utf8) }
        // At the beginning, and behind a number.
        let noUTF8: [[UInt8]] = [[0xFF, 0x32], [0x32, 0x2E, 0x39, 0xFF, 0x2E]]
        try await Self.withFields("app_version", stored + noUTF8) { devices throws in
            #expect(try Self.found(in: devices) { $0.versionFrom = [2, 10] } == [0, 1, 2, 3, 9])
            #expect(try Self.found(in: devices) { $0.versionBelow = [2, 10] } == [4, 5, 8, 10, 12])
            #expect(try Self.found(in: devices) { $0.versionFrom = [0] } == [0, 1, 2, 3, 4, 5, 8, 9, 10, 12])
            let between = try Self.found(in: devices) { query in
                query.versionFrom = [2]
                query.versionBelow = [2, 0, 1]
            }
            #expect(between == [5, 8])
        }
    }

    @Test func aTimeZoneIsFoundByEachOfItsNames() async throws {
        let stored = ["Asia/Calcutta", "Asia/Kolkata", "Europe/Oslo", "UTC"].map { Array($0.utf8) }
        try await Self.withFields("time_zone", stored) { devices throws in
            #expect(try Self.found(in: devices) { $0.timeZones = ["Asia/Kolkata"] } == [0, 1])
            #expect(try Self.found(in: devices) { $0.timeZones = ["Asia/Calcutta", "Zulu"] } == [0, 1, 3])
            #expect(try Self.found(in: devices) { $0.otherTimeZones = ["Asia/Calcutta"] } == [2, 3])
            #expect(try Self.found(in: devices) { $0.timeZones = ["Europe/Berlin"] } == [])
        }
    }

    /// What was registered before has its canonical form afterwards, whatever the size of a stretch.
    @Test(arguments: [100_000, 2, 1]) func theUpgradeWritesCanonicalPlaces(stretch: Int) async throws {
        try await RegistryStore.withStore { store in
            let client = try store.pool.pop()
            defer { store.pool.push(client) }
            let stored: [(locale: String?, zone: String?)] = [
                ("de_AT", "Asia/Calcutta"), ("de-AT", "Europe/Vienna"), ("iw", nil), ("no words", "UTC"), (nil, nil),
                ("PT-br", "Europe/Vienna"), (nil, "US/Eastern"),
            ]
            try store.insert(
                stored.enumerated().map { number, place in
                    let writer = BSONWriter()
                    writer.append("app", string: Self.app)
                    writer.append("token", string: Self.token(number))
                    if let locale = place.locale { writer.append("locale", string: locale) }
                    if let zone = place.zone { writer.append("time_zone", string: zone) }
                    return writer
                }
            )
            let reader = DeviceReader(client: client, database: store.database, stretch: stretch)
            #expect(try DevicePlaceUpgrade(reader).run() == 5)
            let found = try store.devices().sorted { ($0["token"]?.string ?? "") < ($1["token"]?.string ?? "") }
            #expect(found.map { $0["locale"]?.string } == ["de-AT", "de-AT", "he", nil, nil, "pt-BR", nil])
            #expect(
                found.map { $0["time_zone"]?.string } == [
                    "Asia/Kolkata", "Europe/Vienna", nil, "Etc/UTC", nil, "Europe/Vienna", "America/New_York",
                ]
            )
            #expect(try DevicePlaceUpgrade(reader).run() == 0)
        }
    }

    /// Nothing is sorted, and nothing is read that lies before the page.
    @Test func aPageIsFoundByItsIndex() async throws {
        try await Self.withDevices { client, database in
            var query = DeviceQuery(app: Self.app, isEnabled: true)
            query.tags = ["news"]
            let command = BSONDocument { writer in
                writer.append("explain") { explain in
                    explain.append("find", string: "devices")
                    explain.append("filter") { query.append(to: $0) }
                    explain.append("sort") { $0.append("_id", int: 1) }
                }
            }
            let plan = try client.command(database: database, command)
            let winning = try #require(plan["queryPlanner"]?.document?["winningPlan"]?.document)
            let words = Self.words(in: winning)
            #expect(words.contains("app_enabled_id"), "\(words)")
            #expect(!words.contains("SORT") && !words.contains("COLLSCAN"), "\(words)")
        }
    }

    private static func words(in document: BSONDocument) -> Set<String> {
        document.fields.reduce(into: []) { words, field in
            if let word = field.value.string { words.insert(word) }
            if let inner = field.value.document { words.formUnion(Self.words(in: inner)) }
        }
    }
}
