import Foundation
import HTTPTypes
import Testing
import WaybillAccounts
import WaybillMongo
import WaybillSettings
import WaybillTestSupport
import WaybillThreads

@testable import WaybillHTTPAPI

/// Every route of people's API and every protected one of the thesis', asked by everybody: who may do what stands in one table for
/// each, and what is refused changes nothing and tells nothing.
@Suite(.enabled(if: NoticeRig.isPossible), .timeLimit(.minutes(5)))
struct EverybodyTests {
    /// What each is told of what is Ada's: nobody · a stranger · a member of her service · one who manages it · Ada, who owns it · a
    /// key of another service · a key of this one.
    ///
    /// What is about one's own account alone is asked with an empty body, where anything else would change it.
    private static let ours: [String: String] = [
        "POST /v1/account": "400 400 400 400 400 400 400",
        "GET /v1/account": "401 200 200 200 200 401 401",
        "DELETE /v1/account": "401 400 400 400 400 401 401",
        "GET /v1/account/export": "401 200 200 200 200 401 401",
        "POST /v1/account/confirmation": "400 400 400 400 400 400 400",
        "PUT /v1/account/confirmation": "400 400 400 400 400 400 400",
        "PUT /v1/account/password": "401 400 400 400 400 401 401",
        "POST /v1/account/password-reset": "400 400 400 400 400 400 400",
        "PUT /v1/account/password-reset": "400 400 400 400 400 400 400",
        "PUT /v1/account/email": "401 400 400 400 400 401 401",
        "PUT /v1/account/email/confirmation": "400 400 400 400 400 400 400",
        "PUT /v1/account/email/reversal": "400 400 400 400 400 400 400",
        "POST /v1/account/sessions": "400 400 400 400 400 400 400",
        "GET /v1/account/sessions": "401 200 200 200 200 401 401",
        "POST /v1/account/sessions/refresh": "400 400 400 400 400 400 400",
        "DELETE /v1/account/sessions/{session}": "401 404 404 404 204 401 401",
        "GET /v1/account/quiet-hours": "401 200 200 200 200 401 401",
        "PUT /v1/account/quiet-hours": "401 400 400 400 400 401 401",
        "DELETE /v1/account/quiet-hours": "401 204 204 204 204 401 401",
        "GET /v1/account/devices": "401 200 200 200 200 401 401",
        "PUT /v1/account/devices/{device}": "401 409 409 409 204 401 401",
        "DELETE /v1/account/devices/{device}": "401 404 404 404 204 401 401",

        "GET /v1/services": "401 200 200 200 200 401 401",
        "POST /v1/services": "401 201 201 201 201 401 401",
        "GET /v1/services/{service}": "401 404 200 200 200 401 401",
        "PATCH /v1/services/{service}": "401 404 403 200 200 401 401",
        "DELETE /v1/services/{service}": "401 404 403 403 204 401 401",
        "POST /v1/services/{service}/transfer": "401 404 403 403 204 401 401",
        "GET /v1/services/{service}/image": "401 404 200 200 200 401 401",
        "PUT /v1/services/{service}/image": "401 404 403 200 200 401 401",
        "DELETE /v1/services/{service}/image": "401 404 403 204 204 401 401",
        // Whoever has its address may have it: a phone that shows a push has no token.
        "GET /v1/services/{service}/image/{image}": "200 200 200 200 200 200 200",
        "GET /v1/services/{service}/keys": "401 404 403 200 200 401 401",
        "POST /v1/services/{service}/keys": "401 404 403 201 201 401 401",
        "POST /v1/services/{service}/keys/{key}/rotate": "401 404 403 201 201 401 401",
        "DELETE /v1/services/{service}/keys/{key}": "401 404 403 204 204 401 401",
        "GET /v1/services/{service}/webhooks": "401 404 403 200 200 401 401",
        "POST /v1/services/{service}/webhooks": "401 404 403 201 201 401 401",
        "GET /v1/services/{service}/webhooks/{webhook}": "401 404 403 200 200 401 401",
        "DELETE /v1/services/{service}/webhooks/{webhook}": "401 404 403 204 204 401 401",
        "POST /v1/services/{service}/webhooks/{webhook}/rotate": "401 404 403 201 201 401 401",
        "POST /v1/services/{service}/webhooks/{webhook}/test": "401 404 403 202 202 401 401",
        "POST /v1/services/{service}/webhooks/{webhook}/replay": "401 404 403 200 200 401 401",
        "POST /v1/services/{service}/webhooks/{webhook}/enable": "401 404 403 200 200 401 401",
        "POST /v1/services/{service}/webhooks/{webhook}/disable": "401 404 403 200 200 401 401",
        "GET /v1/services/{service}/members": "401 404 403 200 200 401 401",
        "PUT /v1/services/{service}/members/{account}": "401 404 403 200 200 401 401",
        "DELETE /v1/services/{service}/members/{account}": "401 404 403 204 204 401 401",
        "GET /v1/services/{service}/membership": "401 404 200 200 200 401 401",
        "PUT /v1/services/{service}/membership": "401 404 200 200 200 401 401",
        // Somebody has to own it.
        "DELETE /v1/services/{service}/membership": "401 404 204 204 409 401 401",
        "GET /v1/services/{service}/invitations": "401 404 403 200 200 401 401",
        "POST /v1/services/{service}/invitations": "401 404 403 201 201 401 401",
        "DELETE /v1/services/{service}/invitations/{invitation}": "401 404 403 204 204 401 401",
        // It is for whoever has it, and does not belong there yet.
        "GET /v1/invitations/{token}": "401 200 200 200 200 401 401",
        "PUT /v1/invitations/{token}": "401 200 409 409 409 401 401",
        "DELETE /v1/invitations/{token}": "401 204 204 204 204 401 401",

        "POST /v1/notifications": "401 401 401 401 401 202 202",
        "GET /v1/notifications": "401 200 200 200 200 200 200",
        "GET /v1/notifications/{notification}": "401 404 200 200 200 404 200",
        "PUT /v1/notifications/read": "401 200 200 200 200 401 401",
        "PUT /v1/notifications/{notification}/read": "401 404 200 200 200 401 401",
        "PUT /v1/notifications/{notification}/acknowledged": "401 404 200 200 200 401 401",
        "GET /v1/events": "401 200 200 200 200 401 401",
        // Who it is comes in its first message.
        "GET /v1/socket": "426 426 426 426 426 426 426",
    ]

    /// The same of the thesis' API, which knows nobody but owners, and has 400 for whoever shows no token.
    private static let thesis: [String: String] = [
        "POST /account/device": "400 204 204 204 204 401 401",
        "POST /service": "400 200 200 200 200 401 401",
        "PUT /service": "400 404 404 404 200 401 401",
        "DELETE /service": "400 404 404 404 204 401 401",
        "POST /service/key": "400 404 404 404 200 401 401",
        "GET /services": "400 200 200 200 200 401 401",
        "PATCH /services": "400 404 404 404 200 401 401",
    ]
    /// What is for everybody, or takes a key in its body.
    private static let open: Set = [
        "GET /account/check", "POST /account/register", "POST /account/resend", "PUT /account/confirm",
        "POST /account/login", "POST /account/access", "POST /notify",
    ]

    /// So many that nobody meets one; how often somebody may ask at all is no setting.
    private static let limits = AccountSettings.Limits(
        signUpsPerHour: 100,
        logInsPerMinute: 100,
        checksPerMinute: 1000,
        changesPerMinute: 1000,
        keyChangesPerHour: 1000,
        devicesPerHour: 1000
    )
    private static let device = "5C2D2E36-4C2B-4B8B-9E39-0F1A8C9D7E10"

    @Test func eachMayDoWhatTheTableSays() async throws {
        try await NoticeRig.run(limits: Self.limits) { rig in
            let cast = try await Cast(rig)
            let endpoints = try #require(rig.api.server.endpoints.people).endpoints
            let names = endpoints.map { "\($0.method.rawValue) \($0.path)" }
            #expect(Set(names) == Set(Self.ours.keys) && names.count == Self.ours.count)
            try await play(Self.ours, cast) { caller, name in
                let (method, path) = try cast.filled(name)
                // A stream of events goes on and on; `EventRoutesTests` has what comes in it.
                let asked = path == "/v1/events" ? "HEAD" : method
                return try await cast.ask(caller, asked, path, try cast.body(name))
            }
            // A service of somebody else, and one that nobody has, are one answer.
            for name in Self.ours.keys where name.contains("{service}") && !name.contains("{image}") {
                let (method, path) = try cast.filled(name)
                let none = path.replacing(rig.service, with: "0b5a7a52-8d0f-4f5b-9d5b-6f2f0f7f6a10")
                let theirs = try await cast.ask(.stranger, method, path, try cast.body(name))
                let nobodys = try await cast.ask(.stranger, method, none, try cast.body(name))
                #expect(theirs.json["detail"] as? String == nobodys.json["detail"] as? String, "\(name)")
            }
        }
    }

    @Test func eachMayDoWhatTheTableOfTheThesisSays() async throws {
        try await NoticeRig.run(limits: Self.limits) { rig in
            let cast = try await Cast(rig, isOfThesis: true)
            let endpoints = try #require(rig.api.server.endpoints.notifire).endpoints
            let names = Set(endpoints.map { "\($0.method.rawValue) \($0.path)" })
            #expect(names.subtracting(Self.open) == Set(Self.thesis.keys) && Self.open.isSubset(of: names))
            let service: [String: Any] = [
                "uuid": rig.service, "name": "Mine", "levels": ["info": true, "warning": true, "error": true],
            ]
            let bodies: [String: Any] = [
                "POST /account/device": ["enabled": true, "deviceToken": String(repeating: "ab", count: 32)],
                "POST /service": [
                    "name": "Mine", "image": "", "levels": ["info": true, "warning": true, "error": true],
                ],
                "PUT /service": service, "DELETE /service": ["uuid": rig.service], "PATCH /services": [service],
                "POST /service/key": ["service": ["uuid": rig.service], "password": "correct horse"],
            ]
            try await play(Self.thesis, cast) { caller, name in
                let (method, path) = try cast.filled(name)
                let body = try bodies[name].map { try JSONSerialization.data(withJSONObject: $0) }
                return try await cast.ask(caller, method, path, body.map { ("application/json", $0) })
            }
        }
    }

    /// First all that is refused, which changes nothing; then the rest, each as if it were the first.
    private func play(
        _ table: [String: String],
        _ cast: Cast,
        _ ask: (Caller, String) async throws -> APIRig.Answer
    ) async throws {
        var allowed: [(Caller, String, Int)] = []
        let before = try cast.snapshot()
        for (name, row) in table.sorted(by: { $0.key < $1.key }) {
            let statuses = row.split(separator: " ").compactMap { Int($0) }
            try #require(statuses.count == Caller.allCases.count, "\(name)")
            for (caller, status) in zip(Caller.allCases, statuses) {
                guard status >= 400 else {
                    allowed.append((caller, name, status))
                    continue
                }
                let answer = try await ask(caller, name)
                #expect(answer.status == status, "\(caller): \(name)")
                cast.expectSilence(of: answer, to: caller, name)
            }
        }
        let after = try cast.snapshot()
        for name in Set(after.keys).union(before.keys) {
            let (now, then) = (cast.others(after[name] ?? []), cast.others(before[name] ?? []))
            #expect(now == then, "\(name)")
        }
        for (caller, name, status) in allowed {
            try cast.restore(before)
            let answer = try await ask(caller, name)
            #expect(answer.status == status, "\(caller): \(name): \(answer.text)")
            // What is for whoever has it tells what it is about.
            if !name.contains("{token}"), !name.contains("{image}") {
                cast.expectSilence(of: answer, to: caller, name)
            }
        }
    }

    private enum Caller: CaseIterable {
        case nobody, stranger, member, manager, owner, foreignKey, ownKey
    }

    /// Ada, what is hers, and everybody else.
    private struct Cast {
        typealias Body = (type: String, bytes: Data)

        let rig: NoticeRig
        /// What each shows.
        let tokens: [Caller: String]
        /// What stands in paths in the place of a name.
        let values: [String: String]
        /// What a caller may not be told.
        let secrets: [Caller: [String]]
        /// Somebody's account who manages the service.
        let heir: String

        init(_ rig: NoticeRig, isOfThesis: Bool = false) async throws {
            self.rig = rig
            let people = rig.people
            var tokens: [Caller: String] = [.owner: rig.ada.access, .stranger: rig.eve.access]
            var accounts: [Caller: String] = [.owner: rig.account]
            for (caller, name, role) in [(Caller.member, "Mia.M", ServiceRole.member), (.manager, "Max.M", .manager)] {
                try await people.person(name, "\(name)@example.com")
                tokens[caller] = try await people.session(name).access
                let own = try await people.ask("GET", "/v1/account", token: tokens[caller])
                let account = try #require(own.json["id"] as? String)
                accounts[caller] = account
                try rig.join(account, as: role)
            }
            try await people.person("Ned.N", "ned@example.com")
            let ned = try await people.ask(
                "GET",
                "/v1/account",
                token: try await people.session("Ned.N").access
            )
            let another = try #require(ned.json["id"] as? String)
            try rig.join(another, as: .member)
            let path = "/v1/services/\(rig.service)"
            func made(_ part: String, _ members: [String: Any]) async throws -> [String: Any] {
                let answer = try await people.ask("POST", path + part, members, token: rig.ada.access)
                #expect(answer.status == 201, "\(part): \(answer.text)")
                return answer.json
            }
            func id(_ made: [String: Any], _ name: String) throws -> String {
                try #require((made[name] as? [String: Any])?["id"] as? String)
            }
            let key = try id(try await made("/keys", ["name": "nightly"]), "key")
            let webhook = try id(try await made("/webhooks", ["url": "https://example.com/hook"]), "webhook")
            let mailed = try await made("/invitations", ["email": "new@example.com"])
            let invitation = try #require(mailed["id"] as? String)
            let link = try #require(try await made("/invitations", [:])["link"] as? String)
            let image = try await rig.api.ask(
                "\(path)/image",
                key: rig.ada.access,
                method: "PUT",
                headers: ["Content-Type": "image/png"],
                body: Data(SampleImages.png)
            )
            let imagePath = try #require((image.json["image"] as? [String: Any])?["path"] as? String)
            let device = try await people.ask(
                "PUT",
                "/v1/account/devices/\(EverybodyTests.device)",
                ["token": NoticeRig.token],
                token: rig.ada.access
            )
            #expect(device.status == 204)
            let other = try await people.ask("POST", "/v1/services", ["name": "Other"], token: rig.eve.access)
            let foreign = try #require(other.json["id"] as? String)
            let foreignKey = try await people.ask(
                "POST",
                "/v1/services/\(foreign)/keys",
                ["name": "job", "scopes": ["notify", "read"]],
                token: rig.eve.access
            )
            tokens[.foreignKey] = try #require(foreignKey.json["secret"] as? String)
            tokens[.ownKey] = try rig.key([.notify, .read])
            let sent = try await rig.send(
                try #require(tokens[.ownKey]),
                ["level": "error", "body": "It is full"]
            )
            let notification = try #require(sent.json["id"] as? String)
            try await NoticeRig.until {
                try rig.api.documents("notifications").allSatisfy { $0["state"]?.string == "sent" }
            }
            // When a key was used is noted once a minute.
            for caller in [Caller.foreignKey, .ownKey] {
                #expect(try await rig.api.ask("/v1/notifications", key: tokens[caller]).status == 200)
            }
            try await NoticeRig.until {
                try rig.api.documents("service_keys").count { $0["last_used_at"] != nil } == 2
            }
            if isOfThesis {
                for (caller, name) in [
                    (Caller.owner, "ada.l"), (.stranger, "eve.stranger"), (.member, "mia.m"), (.manager, "max.m"),
                ] {
                    let answer = try await people.ask(
                        "POST",
                        "/account/login",
                        ["username": name, "password": "correct horse"]
                    )
                    let payload = try #require(answer.json["payload"] as? [String: Any])
                    tokens[caller] = try #require(payload["accessToken"] as? String)
                }
            }
            self.tokens = tokens
            heir = try #require(accounts[.manager])
            values = [
                "service": rig.service, "key": key, "webhook": webhook, "invitation": invitation,
                "token": try #require(link.split(separator: "=").last.map(String.init)),
                "image": try #require(imagePath.split(separator: "/").last.map(String.init)),
                "account": another, "session": rig.ada.id, "device": EverybodyTests.device,
                "notification": notification,
            ]
            let own = [rig.ada.id, EverybodyTests.device, NoticeRig.token, "ada@example.com"]
            let ofManagers = [key, webhook, invitation]
            let ofService = [rig.service, notification, rig.account]
            secrets = [
                .nobody: own + ofManagers + ofService, .stranger: own + ofManagers + ofService,
                .foreignKey: own + ofManagers + ofService, .member: own + ofManagers, .manager: own,
                .ownKey: own + ofManagers,
            ]
        }

        /// The method and the path of a row.
        func filled(_ name: String) throws -> (method: String, path: String) {
            let words = name.split(separator: " ")
            try #require(words.count == 2)
            let path = values.reduce(String(words[1])) { $0.replacing("{\($1.key)}", with: $1.value) }
            return (String(words[0]), path)
        }

        /// What goes along; `nil`: nothing.
        func body(_ name: String) throws -> Body? {
            let members: [String: Any]
            switch name {
            case "PUT /v1/services/{service}/image": return ("image/png", Data(SampleImages.png))
            case "PUT /v1/account/devices/{device}": members = ["token": String(repeating: "ab", count: 32)]
            case "POST /v1/services", "PATCH /v1/services/{service}", "POST /v1/services/{service}/keys":
                members = ["name": "Mine"]
            case "POST /v1/services/{service}/transfer": members = ["account": heir]
            case "PUT /v1/services/{service}/members/{account}": members = ["role": "member"]
            case "PUT /v1/services/{service}/membership": members = ["levels": ["error"]]
            case "POST /v1/services/{service}/webhooks": members = ["url": "https://example.com/mine"]
            case "POST /v1/services/{service}/webhooks/{webhook}/replay": members = ["failed": true]
            case "POST /v1/notifications": members = ["level": "error", "body": "Mine"]
            default:
                // Without a body that takes none.
                let isOfAccount = name.contains("/v1/account") && !name.hasPrefix("GET") && !name.contains("{")
                guard isOfAccount, name != "DELETE /v1/account/quiet-hours" else { return nil }
                members = [:]
            }
            return ("application/json", try JSONSerialization.data(withJSONObject: members))
        }

        /// Asks until it is not too early.
        func ask(
            _ caller: Caller,
            _ method: String,
            _ path: String,
            _ body: Body?
        ) async throws -> APIRig.Answer {
            for _ in 0..<20 {
                let answer = try await rig.api.ask(
                    path,
                    key: tokens[caller],
                    method: method,
                    headers: body.map { ["Content-Type": $0.type] } ?? [:],
                    body: body?.bytes
                )
                guard answer.status == 429 else { return answer }
                let seconds = try #require(answer.headers["retry-after"].flatMap { Int($0) })
                try #require(seconds < 10, "\(caller): \(method) \(path): \(answer.text)")
                try await Task.sleep(for: .seconds(seconds))
            }
            throw CancellationError()
        }

        func expectSilence(of answer: APIRig.Answer, to caller: Caller, _ name: String) {
            for secret in secrets[caller] ?? [] { #expect(!answer.text.contains(secret), "\(caller): \(name)") }
        }

        /// All that is stored, by collection.
        func snapshot() throws -> [String: [BSONDocument]] {
            let list = BSONDocument { writer in
                writer.append("listCollections", int: 1)
                writer.append("nameOnly", bool: true)
            }
            let reply = try rig.api.pool.withClient { client throws(MongoError) in
                try client.command(database: rig.api.database, list)
            }
            let names = reply["cursor"]?.document?["firstBatch"]?.elements?.compactMap { $0.document?["name"]?.string }
            var found: [String: [BSONDocument]] = [:]
            for name in try #require(names) { found[name] = try rig.api.documents(name) }
            return found
        }

        /// Without the accounts of those who ask: a password that somebody shows is counted at their own.
        func others(_ documents: [BSONDocument]) -> [BSONDocument] {
            documents.filter { document in
                document["_id"]?.string.map { $0 == rig.account || !$0.hasPrefix("acc_") } ?? true
            }
        }

        /// Has all that is stored be what it was.
        func restore(_ before: [String: [BSONDocument]]) throws {
            for (name, documents) in try snapshot() where documents != before[name] ?? [] {
                let remove = BSONDocument { writer in
                    writer.append("delete", string: name)
                    writer.append(
                        "deletes",
                        array: { array in
                            array.append { one in
                                one.append("q", document: BSONDocument.empty)
                                one.append("limit", int: 0)
                            }
                        }
                    )
                }
                let insert = BSONDocument { writer in
                    writer.append("insert", string: name)
                    writer.append(
                        "documents",
                        array: { array in for document in before[name] ?? [] { array.append(document: document) } }
                    )
                }
                try rig.api.pool.withClient { client throws(MongoError) in
                    _ = try client.command(database: rig.api.database, remove)
                    if before[name]?.isEmpty == false {
                        _ = try client.command(database: rig.api.database, insert)
                    }
                }
            }
        }
    }
}
