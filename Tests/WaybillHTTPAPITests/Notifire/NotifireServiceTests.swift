import Foundation
import Testing
import WaybillAccounts
import WaybillDeviceRegistry
import WaybillMongo
import WaybillMongoTestSupport
import WaybillPassword
import WaybillSettings
import WaybillTestSupport
import WaybillThreads

@testable import WaybillHTTPAPI

/// The service half of the thesis' API over real sockets, as `gateway.md` §16 has it: routes 7 to 13.
@Suite(.enabled(if: TestDatabase.isAvailable), .timeLimit(.minutes(2)))
struct NotifireServiceTests {
    private static let root = String(repeating: "root secret ", count: 4)
    private static let password = "correct horse"
    private static let token = String(repeating: "00fc13ad", count: 8)

    private func run(
        limits: AccountSettings.Limits = .init(),
        hashing: AccountSettings.Hashing = .init(memory: 64, passes: 1),
        _ body: (APIRig.Running) async throws -> Void
    ) async throws {
        let loopback = try #require(IPRange("127.0.0.0/8"))
        let folder = try TemporaryFolder()
        let root = try folder.write("root", Self.root)
        let settings = { (port: Int) in
            ServeSettings(
                listen: .init(host: "127.0.0.1", port: UInt16(port)),
                proxies: [loopback],
                page: nil,
                accounts: AccountSettings(
                    baseURL: "https://push.example.com",
                    roots: .init(file: root),
                    hashing: hashing,
                    limits: limits
                ),
                notifire: NotifireSettings(services: .init(app: "com.example.parcels", lane: "parcels", devices: 2))
            )
        }
        try await APIRig.run(settings: settings) { rig in
            try rig.pool.withClient { client throws(MongoError) in
                _ = try AccountsIndexes.ensure(client: client, database: rig.database)
                _ = try DeviceRegistryIndexes.ensure(client: client, database: rig.database)
            }
            try await body(rig)
        }
    }

    /// Somebody who is logged in: their account's id, and their access token.
    private func person(
        _ rig: APIRig.Running,
        _ name: String,
        cost: PasswordCost = PasswordCost(memory: 64, passes: 1, lanes: 1)
    ) throws -> (id: String, token: String) {
        let keys = try #require(TokenKeys(root: Array(Self.root.utf8)))
        let rules = AccountRules(keys: keys, issuer: "https://push.example.com", cost: cost)
        let client = try rig.pool.pop()
        defer { rig.pool.push(client) }
        let now = WallClock.milliseconds()
        let (account, token) = try SignUp(client: client, database: rig.database, rules: rules).register(
            try #require(AccountName(name)),
            try #require(EmailAddress("\(name)@example.com")),
            try #require(PlainPassword(Self.password)),
            now: now
        )
        let confirmed = try AddressConfirmation(client: client, database: rig.database, rules: rules)
            .confirm(token.reveal(), from: "192.0.2.1", now: now)
        let tokens = try LoginStore(client: client, database: rig.database, rules: rules).begin(confirmed, now: now)
        return (account.id, tokens.access)
    }

    /// As the author's own app asks: the raw token, and a body that does not say that it is JSON.
    private func send(
        _ rig: APIRig.Running,
        _ method: String,
        _ path: String,
        _ token: String?,
        _ body: [String: Any]? = nil
    ) async throws -> APIRig.Answer {
        try await send(rig, method, path, token, data: body.map { try JSONSerialization.data(withJSONObject: $0) })
    }

    private func send(
        _ rig: APIRig.Running,
        _ method: String,
        _ path: String,
        _ token: String?,
        data: Data?,
        from address: String = "192.0.2.1"
    ) async throws -> APIRig.Answer {
        var headers = ["Content-Type": "application/x-www-form-urlencoded", "X-Forwarded-For": address]
        headers["Authorization"] = token
        return try await rig.ask(path, method: method, headers: headers, body: data)
    }

    private func patch(
        _ rig: APIRig.Running,
        _ token: String,
        _ list: [[String: Any]]
    ) async throws -> APIRig.Answer {
        try await send(
            rig,
            "PATCH",
            "/services",
            token,
            data: try JSONSerialization.data(withJSONObject: list)
        )
    }

    private static func levels(_ info: Bool, _ warning: Bool, _ error: Bool) -> [String: Bool] {
        ["info": info, "warning": warning, "error": error]
    }

    private func create(
        _ rig: APIRig.Running,
        _ token: String,
        _ name: String = "Backups"
    ) async throws -> [String: Any] {
        let body: [String: Any] = ["name": name, "image": "", "levels": Self.levels(true, false, true)]
        let answer = try await send(rig, "POST", "/service", token, body)
        #expect(answer.status == 200)
        return answer.json
    }

    private func services(_ rig: APIRig.Running, _ token: String) async throws -> [[String: Any]] {
        let answer = try await send(rig, "GET", "/services", token)
        #expect(answer.status == 200)
        return try #require(JSONSerialization.jsonObject(with: Data(answer.text.utf8)) as? [[String: Any]])
    }

    private static func time(_ service: [String: Any]) throws -> Date {
        let text = try #require(service["updatedAt"] as? String)
        let form = DateFormatter()
        form.locale = Locale(identifier: "en_US_POSIX")
        form.dateFormat = "yyyy-MM-dd'T'HH:mm:ss.SSSZZZZZ"
        #expect(text.hasSuffix("Z") && text.count == 24)
        return try #require(form.date(from: text))
    }

    @Test func aServiceFromItsBeginningToItsEnd() async throws {
        try await run { rig in
            let token = try person(rig, "anna").token
            let made = try await create(rig, token)
            #expect(Set(made.keys) == ["name", "uuid", "levels", "apiKey", "updatedAt"])
            #expect(made["levels"] as? [String: Bool] == Self.levels(true, false, true))
            let id = try #require(made["uuid"] as? String)
            let listed = try await services(rig, token)
            #expect(listed.count == 1)
            #expect(listed.first?["apiKey"] as? String == made["apiKey"] as? String)

            var body: [String: Any] = [
                "uuid": id.uppercased(), "name": "Night", "levels": Self.levels(false, false, false),
            ]
            let changed = try await send(rig, "PUT", "/service", token, body)
            #expect(changed.status == 200)
            #expect(changed.json["name"] as? String == "Night")
            #expect(changed.json["uuid"] as? String == id)
            #expect(changed.json["levels"] as? [String: Bool] == Self.levels(false, false, false))
            // The same once more is newer all the same.
            let again = try await send(rig, "PUT", "/service", token, body)
            #expect(try Self.time(changed.json) > Self.time(made))
            #expect(try Self.time(again.json) > Self.time(changed.json))

            body["apiKey"] = "an app sends what it has"
            #expect(try await send(rig, "DELETE", "/service", token, body).status == 204)
            #expect(try await services(rig, token).isEmpty)
            #expect(try await send(rig, "DELETE", "/service", token, body).status == 404)
            #expect(try await send(rig, "PUT", "/service", token, body).status == 404)
        }
    }

    /// The key changes with the password, in the thesis' form and in that of its author's app.
    @Test func aNewKeyTakesThePassword() async throws {
        try await run { rig in
            let token = try person(rig, "anna").token
            let made = try await create(rig, token)
            var keys = [try #require(made["apiKey"] as? String)]
            let guess: [String: Any] = ["uuid": made["uuid"]!, "password": "wrong"]
            let wrong = try await send(rig, "POST", "/service/key", token, guess)
            #expect(wrong.status == 200)
            #expect(wrong.json["success"] as? Bool == false)
            #expect((wrong.json["error"] as? [String: Any])?["code"] as? Int == 1)
            #expect(try await services(rig, token).first?["apiKey"] as? String == keys[0])
            let forms: [[String: Any]] = [
                ["uuid": made["uuid"]!, "password": Self.password], ["service": made, "password": Self.password],
            ]
            for body in forms {
                let answer = try await send(rig, "POST", "/service/key", token, body)
                #expect(answer.status == 200)
                #expect(try Self.time(answer.json) > Self.time(made))
                keys.append(try #require(answer.json["apiKey"] as? String))
            }
            #expect(Set(keys).count == 3)
            #expect(try await services(rig, token).first?["apiKey"] as? String == keys[2])
        }
    }

    @Test func othersSeeNothingOfAService() async throws {
        try await run { rig in
            let (anna, berta) = (try person(rig, "anna").token, try person(rig, "berta").token)
            let made = try await create(rig, anna)
            let body: [String: Any] = [
                "uuid": made["uuid"]!, "name": "Mine", "levels": Self.levels(true, true, true),
                "password": Self.password,
            ]
            #expect(try await services(rig, berta).isEmpty)
            for (method, path) in [("PUT", "/service"), ("DELETE", "/service"), ("POST", "/service/key")] {
                #expect(try await send(rig, method, path, berta, body).status == 404)
            }
            #expect(try await patch(rig, berta, [body]).status == 404)
            #expect(try await services(rig, anna).first?["name"] as? String == "Backups")
        }
    }

    /// Whoever has given a service away manages it: neither sees it here nor knows its key any more.
    @Test func managersSeeNothingOfAService() async throws {
        try await run { rig in
            let (anna, berta) = (try person(rig, "anna"), try person(rig, "berta"))
            let made = try await create(rig, anna.token)
            let id = try #require(made["uuid"] as? String)
            try rig.pool.withClient { client throws(MongoError) in
                _ = try ServiceControl(client: client, database: rig.database)
                    .transfer(id, to: berta.id, now: WallClock.milliseconds())
            }
            let body: [String: Any] = [
                "uuid": id, "name": "Mine", "levels": Self.levels(true, true, true), "password": Self.password,
            ]
            for (method, path) in [("PUT", "/service"), ("DELETE", "/service"), ("POST", "/service/key")] {
                #expect(try await send(rig, method, path, anna.token, body).status == 404, "\(method) \(path)")
            }
            #expect(try await patch(rig, anna.token, [body]).status == 404)
            #expect(try await services(rig, anna.token).isEmpty)
            let given = try #require(try await services(rig, berta.token).first)
            #expect(given["name"] as? String == "Backups")
            #expect(given["apiKey"] as? String == "")
            let renewed = try await send(rig, "POST", "/service/key", berta.token, body)
            let key = try #require(renewed.json["apiKey"] as? String)
            #expect(key.count == 64 && key != made["apiKey"] as? String)
        }
    }

    /// However fast somebody asks, 20 at once and 10 a second are answered.
    @Test func anAccountAsksSoOften() async throws {
        try await run { rig in
            let token = try person(rig, "anna").token
            let start = MonotonicTime.now()
            let answered = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        var answered = 0
                        for _ in 0..<30 where try await send(rig, "GET", "/services", token).status == 200 {
                            answered += 1
                        }
                        return answered
                    }
                }
                return try await group.reduce(0, +)
            }
            let seconds = MonotonicTime.now().duration(since: start) / .seconds(1)
            #expect(Double(answered) <= 20 + 10 * seconds + 1)
        }
    }

    @Test func severalAreChangedAtOnceOrNone() async throws {
        try await run { rig in
            let token = try person(rig, "anna").token
            let ids = [try await create(rig, token)["uuid"], try await create(rig, token, "Disks")["uuid"]]
            let changes: [[String: Any]] = [
                ["uuid": ids[1]!, "name": "Second"], ["uuid": ids[0]!, "levels": Self.levels(false, true, false)],
            ]
            let answer = try await patch(rig, token, changes)
            #expect(answer.status == 200)
            let changed = try #require(JSONSerialization.jsonObject(with: Data(answer.text.utf8)) as? [[String: Any]])
            #expect(changed.map { $0["name"] as? String } == ["Second", "Backups"])
            #expect(changed.last?["levels"] as? [String: Bool] == Self.levels(false, true, false))
            let unknown: [[String: Any]] = [
                ["uuid": ids[0]!, "name": "Third"], ["uuid": UUID().uuidString, "name": "Nobody's"],
            ]
            #expect(try await patch(rig, token, unknown).status == 404)
            #expect(try await services(rig, token).map { $0["name"] as? String } == ["Backups", "Second"])
            #expect(try await patch(rig, token, [changes[0], changes[0]]).status == 400)
            for text in ["", "{}", "[1]", "[", #"[{"name":"no uuid"}]"#] {
                let answer = try await send(rig, "PATCH", "/services", token, data: Data(text.utf8))
                #expect(answer.status == 400, "\(text)")
            }
        }
    }

    /// A logs out and B logs in on the same phone.
    @Test func aPhoneIsWhoseItIsNow() async throws {
        try await run { rig in
            let (anna, berta) = (try person(rig, "anna"), try person(rig, "berta"))
            func note(_ token: String, _ isEnabled: Bool) async throws -> Int {
                let body: [String: Any] = ["deviceToken": Self.token.uppercased(), "enabled": isEnabled]
                return try await send(rig, "POST", "/account/device", token, body).status
            }
            func reached(_ person: (id: String, token: String)) throws -> [String?] {
                try rig.pool.withClient { client throws(MongoError) in
                    try DeviceLinks(client: client, database: rig.database)
                        .devices(of: person.id, app: "com.example.parcels").map(\.token)
                }
            }
            #expect(try await note(anna.token, true) == 204)
            #expect((try reached(anna), try reached(berta)) == ([Self.token], []))
            #expect(try await note(anna.token, false) == 204)
            #expect(try await note(berta.token, true) == 204)
            #expect((try reached(anna), try reached(berta)) == ([], [Self.token]))
            let devices = try rig.documents("devices")
            #expect(devices.count == 1)
            #expect(devices.first?["environment"]?.string == "production")
            #expect(devices.first?["client"]?.string == "notifire")
        }
    }

    /// Whoever has one account fills neither the store nor other people's phones.
    @Test func anAccountIsLoggedInOnSoManyPhones() async throws {
        try await run(limits: .init(devicesPerHour: 4)) { rig in
            let anna = try person(rig, "anna")
            let tokens = (0..<5).map { String(repeating: "0\($0)", count: 32) }
            var statuses: [Int] = []
            for token in tokens {
                let body: [String: Any] = ["deviceToken": token, "enabled": true]
                statuses.append(try await send(rig, "POST", "/account/device", anna.token, body).status)
                // Times are milliseconds.
                try await Task.sleep(for: .milliseconds(5))
            }
            #expect(statuses == [204, 204, 204, 204, 429])
            let reached = try rig.pool.withClient { client throws(MongoError) in
                try DeviceLinks(client: client, database: rig.database)
                    .devices(of: anna.id, app: "com.example.parcels").compactMap(\.token)
            }
            #expect(Set(reached) == Set(tokens[2...3]))
        }
    }

    @Test func anAccountChangesSoMuchAndNoMore() async throws {
        try await run(limits: .init(changesPerMinute: 3, keyChangesPerHour: 2)) { rig in
            let (anna, berta) = (try person(rig, "anna").token, try person(rig, "berta").token)
            let made = try await create(rig, anna)
            var statuses: [Int] = []
            for number in 0..<4 {
                let body: [String: Any] = ["uuid": made["uuid"]!, "password": Self.password]
                let data = try JSONSerialization.data(withJSONObject: body)
                // From wherever it asks.
                let address = "198.51.100.\(number)"
                let answer = try await send(rig, "POST", "/service/key", anna, data: data, from: address)
                statuses.append(answer.status)
                if answer.status == 429 { #expect(answer.headers["retry-after"] == "1800") }
            }
            #expect(statuses == [200, 200, 429, 429])
            let change: [String: Any] = ["uuid": made["uuid"]!, "name": "Other"]
            #expect(try await patch(rig, anna, [change]).status == 200)
            #expect(try await send(rig, "DELETE", "/service", anna, ["uuid": made["uuid"]!]).status == 204)
            #expect(try await send(rig, "DELETE", "/service", anna, ["uuid": made["uuid"]!]).status == 429)
            #expect(try await patch(rig, anna, [change]).status == 429)
            _ = try await create(rig, berta)
        }
    }

    /// Forty addresses are one account, and leave the others' places in front of the threads that look at passwords.
    @Test func anAccountWaitsWithItselfWhereverItAsks() async throws {
        let cost = PasswordCost(memory: 19_456, passes: 2, lanes: 1)
        try await run(limits: .init(keyChangesPerHour: 1000), hashing: .init()) { rig in
            let token = try person(rig, "anna", cost: cost).token
            let made = try await create(rig, token)
            let body: [String: Any] = ["uuid": made["uuid"]!, "password": Self.password]
            let data = try JSONSerialization.data(withJSONObject: body)
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<40 {
                    group.addTask {
                        let address = "198.51.\(number).7"
                        return try await send(rig, "POST", "/service/key", token, data: data, from: address).status
                    }
                }
                return try await group.reduce(into: Set<Int>()) { $0.insert($1) }
            }
            #expect(statuses.contains(429))
            #expect(!statuses.contains(503))
        }
    }

    @Test func whatIsNotOfTheFormIsRefused() async throws {
        try await run { rig in
            let token = try person(rig, "anna").token
            let made = try await create(rig, token)
            let all = Self.levels(true, true, true)
            let wrong: [(String, String, [String: Any])] = [
                ("POST", "/service", ["name": "", "levels": all]),
                ("POST", "/service", ["name": String(repeating: "x", count: 65), "levels": all]),
                ("POST", "/service", ["name": "x", "image": "no base64", "levels": all]),
                ("POST", "/service", ["name": "x", "image": "PHN2Zy8+", "levels": all]),
                ("POST", "/service", ["name": "x", "levels": ["info": true]]),
                ("POST", "/service", ["name": "x", "levels": ["info": 1, "warning": 1, "error": 1]]),
                ("POST", "/service", ["name": 5, "levels": all]), ("POST", "/service", ["levels": all]),
                ("PUT", "/service", ["uuid": "x", "name": "x", "levels": all]),
                ("PUT", "/service", ["uuid": made["uuid"]!, "levels": all]),
                ("DELETE", "/service", ["name": "x"]), ("POST", "/service/key", ["uuid": made["uuid"]!]),
                ("POST", "/account/device", ["deviceToken": Self.token]),
                ("POST", "/account/device", ["deviceToken": "xyz", "enabled": true]),
                ("POST", "/account/device", ["deviceToken": String(Self.token.dropLast(2)), "enabled": true]),
                ("POST", "/account/device", ["deviceToken": Self.token, "enabled": "true"]),
            ]
            for (method, path, body) in wrong {
                let answer = try await send(rig, method, path, token, body)
                #expect(answer.status == 400, "\(method) \(path) \(body)")
            }
            #expect(try await services(rig, token).count == 1)
        }
    }

    /// Without a token 400, with one that is none 401; a route by another method is none.
    @Test func protectedRoutes() async throws {
        try await run { rig in
            let token = try person(rig, "anna").token
            for (method, path) in [
                ("POST", "/account/device"), ("POST", "/service"), ("PUT", "/service"), ("DELETE", "/service"),
                ("POST", "/service/key"), ("GET", "/services"), ("PATCH", "/services"),
            ] {
                #expect(try await send(rig, method, path, nil).status == 400)
                #expect(try await send(rig, method, path, "garbage").status == 401)
            }
            let other = try await send(rig, "GET", "/service", token)
            #expect((other.status, other.text) == (404, ""))
        }
    }
}
