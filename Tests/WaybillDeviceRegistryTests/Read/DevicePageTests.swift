import Testing
import WaybillDeviceRegistryTestSupport
import WaybillMongo

@testable import WaybillDeviceRegistry

/// An app's devices, page after page, as an audience reads them.
@Suite(.enabled(if: RegistryStore.isAvailable, "WAYBILL_TEST_STORE is not set"))
struct DevicePageTests {
    private static let app = "com.example.parcels"

    private static func token(_ number: Int) -> String { "aa" + String(1000 + number) }

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
                writer.append("locale", string: ["de", "de-AT", "den", "fr_CA"][number % 4])
                if number % 13 != 12 { writer.append("app_version", string: "1.\(number % 13)") }
                try bulk.insert(writer)
            }
            try bulk.execute().requireDurable("insert")
            try test(client, store.database)
        }
    }

    @Test func eachDeviceComesOnceInTheOrderOfTheirIDs() async throws {
        try await Self.withDevices { client, database in
            let reader = DeviceReader(client: client, database: database)
            let query = DeviceQuery(app: Self.app, isEnabled: true)
            var found: [String] = []
            var after: BSONIdentifier?
            while case let page = try reader.page(query, after: after, limit: 100), let last = page.last {
                #expect(page.count == 100 || found.count + page.count == 225)
                found += page.compactMap(\.address?.token)
                after = last.id
            }
            #expect(found == (0..<250).filter { $0 % 10 != 9 }.map(Self.token))
            #expect(try reader.count(query) == 225)
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
