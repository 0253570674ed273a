import Foundation
import Testing
import WaybillAccounts
import WaybillMongo
import WaybillMongoTestSupport
import WaybillPassword
import WaybillSettings
import WaybillTelemetry
import WaybillTestSupport

@testable import WaybillHTTPAPI

/// The account half of the thesis' API over real sockets, as `gateway.md` §16 has it.
@Suite(.enabled(if: TestDatabase.isAvailable), .timeLimit(.minutes(2)))
struct NotifireTests {
    private static func settings(
        root: String,
        _ limits: AccountSettings.Limits = .init(signUpsPerHour: 1000, logInsPerMinute: 1000, checksPerMinute: 1000)
    ) -> (Int) -> ServeSettings {
        { port in
            ServeSettings(
                listen: .init(host: "127.0.0.1", port: UInt16(port)),
                page: nil,
                accounts: AccountSettings(
                    baseURL: "https://push.example.com",
                    roots: .init(file: root),
                    hashing: .init(memory: 64, passes: 1),
                    limits: limits,
                    apps: ["ABCDE12345.com.example.app"]
                ),
                notifire: NotifireSettings()
            )
        }
    }

    private func run(
        _ limits: AccountSettings.Limits? = nil,
        evenTime: EvenTime = EvenTime(step: .milliseconds(10)),
        _ body: (APIRig.Running) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        let root = try folder.write("root", String(repeating: "root secret ", count: 4))
        let settings = limits.map { Self.settings(root: root, $0) } ?? Self.settings(root: root)
        try await APIRig.run(evenTime: evenTime, settings: settings) { rig in
            try rig.pool.withClient { client throws(MongoError) in
                _ = try AccountsIndexes.ensure(client: client, database: rig.database)
            }
            try await body(rig)
        }
    }

    /// As the author's own app sends a body: without a JSON type, and with slashes escaped.
    private func send(
        _ rig: APIRig.Running,
        _ path: String,
        _ members: [String: Any],
        method: String = "POST"
    ) async throws -> APIRig.Answer {
        try await rig.ask(
            path,
            method: method,
            headers: ["Content-Type": "application/x-www-form-urlencoded"],
            body: try JSONSerialization.data(withJSONObject: members)
        )
    }

    private func register(
        _ rig: APIRig.Running,
        _ name: String = "Ada.L",
        _ email: String = "ada@example.com",
        _ password: String = "correct horse"
    ) async throws -> APIRig.Answer {
        try await send(rig, "/account/register", ["username": name, "email": email, "password": password])
    }

    private func logIn(_ rig: APIRig.Running, _ name: String, _ password: String) async throws -> APIRig.Answer {
        try await send(rig, "/account/login", ["username": name, "password": password])
    }

    /// The links of the mails that wait, the latest last.
    private func links(_ rig: APIRig.Running) throws -> [String] {
        try rig.documents("outbox_mail").sorted { ($0["created_at"]?.date ?? 0) < ($1["created_at"]?.date ?? 0) }
            .map { document in
                let text = document["text"]?.string ?? ""
                return text.split(whereSeparator: \.isNewline).map(String.init).first {
                    $0.contains("/account/confirm/")
                }
                    ?? ""
            }
    }

    private func token(_ rig: APIRig.Running) throws -> String {
        let link = try #require(try links(rig).last)
        #expect(link.hasPrefix("https://push.example.com/account/confirm/"))
        return String(try #require(link.split(separator: "/").last))
    }

    private func confirm(_ rig: APIRig.Running, _ token: String) async throws -> APIRig.Answer {
        try await send(rig, "/account/confirm", ["token": token], method: "PUT")
    }

    private func code(_ answer: APIRig.Answer) -> Int? {
        #expect(answer.status == 200)
        #expect(answer.json["success"] as? Bool == false)
        let error = answer.json["error"] as? [String: Any]
        #expect((error?["message"] as? String)?.isEmpty == false)
        return error?["code"] as? Int
    }

    private func payload(_ answer: APIRig.Answer) throws -> [String: String] {
        #expect(answer.status == 200)
        #expect(answer.json["success"] as? Bool == true)
        return try #require(answer.json["payload"] as? [String: String])
    }

    @Test func fromSigningUpToANewToken() async throws {
        try await run { rig in
            let answer = try await register(rig)
            #expect(answer.status == 200)
            #expect(answer.text == #"{"success":true}"#)
            #expect(answer.type == "application/json")
            #expect(answer.headers["cache-control"] == "no-store")
            #expect(code(try await logIn(rig, "ada.l", "correct horse")) == 3)
            let token = try token(rig)
            let confirmed = try payload(try await confirm(rig, token))
            #expect(Set(confirmed.keys) == ["username", "refreshToken", "accessToken"])
            #expect(confirmed["username"] == "Ada.L")
            #expect(code(try await confirm(rig, token)) == 1)
            #expect(code(try await logIn(rig, "nobody", "correct horse")) == 1)
            #expect(code(try await logIn(rig, "no name, but 1-64 characters", "correct horse")) == 1)
            #expect(code(try await logIn(rig, "ada.l", "wrong")) == 2)
            let tokens = try payload(try await logIn(rig, "ADA@example.com", "correct horse"))
            for refresh in [confirmed["refreshToken"], tokens["refreshToken"]] {
                let renewed = try await send(rig, "/account/access", ["refreshToken": try #require(refresh)])
                #expect(renewed.status == 200)
                #expect(Set(renewed.json.keys) == ["accessToken"])
            }
        }
    }

    @Test func registeredOnce() async throws {
        try await run { rig in
            _ = try await register(rig)
            #expect(code(try await register(rig, "ADA.l", "other@example.com")) == 1)
            _ = try payload(try await confirm(rig, try token(rig)))
            #expect(code(try await register(rig, "other", "ADA@example.com")) == 2)
            #expect(try rig.documents("accounts").count == 1)
            #expect(try links(rig).count == 1)
        }
    }

    @Test func check() async throws {
        let rows = [
            ("username=ada.l", false), ("username=free.name", true), ("email=ada@example.com", false),
            ("email=ADA%40example.com", false), ("email=ada%2540example%252Ecom", false),
            ("email=ada+push@example.com", true), ("email=other@example.com", true), ("username=ada%252El", false),
        ]
        try await run { rig in
            _ = try await register(rig)
            for (query, valid) in rows {
                let answer = try await rig.ask("/account/check?\(query)")
                #expect(answer.status == 200)
                #expect(answer.text == #"{"valid":\#(valid)}"#, "\(query)")
            }
        }
    }

    @Test func checkIsRefused() async throws {
        let rows = [
            "", "?", "?username=", "?username=abc", "?username=two%20words", "?username=two%2520words",
            "?email=test123",
            "?email=", "?username=free&email=a@example.com", "?username=free&username=name", "?username=%ff%fe%fd%fc",
            "?other=free",
        ]
        try await run { rig in
            for query in rows {
                let answer = try await rig.ask("/account/check\(query)")
                #expect(answer.status == 400, "\(query)")
            }
        }
    }

    @Test func bodiesHaveTheirForm() async throws {
        let rows = [
            ("/account/register", "POST"), ("/account/login", "POST"), ("/account/resend", "POST"),
            ("/account/confirm", "PUT"), ("/account/access", "POST"),
        ]
        try await run { rig in
            for (path, method) in rows {
                let bodies = [
                    "", "{", "[]", "null", "\"text\"", "{}",
                    #"{"token":1,"username":1,"email":1,"password":1,"refreshToken":1}"#,
                    #"{"token":null,"username":null,"email":null,"refreshToken":null}"#, "username=ada.l&password=x",
                    #"{"token":"a","token":"b","username":"a","username":"b","email":"a","email":"b","password":"c","refreshToken":"a","refreshToken":"b"}"#,
                ]
                for body in bodies {
                    let answer = try await rig.ask(path, method: method, body: Data(body.utf8))
                    #expect(answer.status == 400, "\(method) \(path) \(body)")
                }
                let latin = Data([0x7B, 0x22, 0xFF, 0x22, 0x3A, 0x31, 0x7D])
                #expect(try await rig.ask(path, method: method, body: latin).status == 400)
            }
        }
    }

    @Test func nobodySignsUpWith() async throws {
        let rows = [
            ("abc", "a@example.com", "correct horse"), ("two words", "a@example.com", "correct horse"),
            ("free", "test123", "correct horse"), ("free", "a@example.com\r\nBcc: eve@example.com", "correct horse"),
            ("free", "a@example.com", "four"), ("free", "a@example.com", String(repeating: "x", count: 129)),
        ]
        try await run { rig in
            for (name, email, password) in rows {
                let answer = try await register(rig, name, email, password)
                #expect(answer.status == 400, "\(name) \(email) \(password)")
                let documents = try rig.documents("accounts") + rig.documents("outbox_mail")
                #expect(documents.isEmpty)
            }
            #expect(rig.refused(.mailHeader) == 1)
        }
    }

    @Test func theAppsShortestAndLongestPasswordsAreTaken() async throws {
        try await run { rig in
            for (number, password) in ["12345", String(repeating: "x", count: 24), String(repeating: "ü", count: 128)]
                .enumerated()
            {
                let answer = try await register(rig, "name\(number)", "a\(number)@example.com", password)
                #expect(answer.text == #"{"success":true}"#)
                #expect(code(try await logIn(rig, "name\(number)", password)) == 3)
            }
        }
    }

    /// Signing up again is refused, as the check says, and changes nothing.
    @Test func aPendingAddressIsTaken() async throws {
        try await run { rig in
            _ = try await register(rig)
            let link = try token(rig)
            #expect(try await rig.ask("/account/check?email=ADA@example.com").text == #"{"valid":false}"#)
            #expect(code(try await register(rig, "mallory", "ADA@example.com", "mallory's own")) == 2)
            #expect(code(try await register(rig, "ada.l", "ada@example.com", "mallory's own")) == 1)
            #expect(try rig.documents("accounts").count == 1)
            #expect(try links(rig).count == 1)
            #expect(try payload(try await confirm(rig, link))["username"] == "Ada.L")
            #expect(try payload(try await logIn(rig, "ada@example.com", "correct horse"))["username"] == "Ada.L")
        }
    }

    /// By address or by name, and never a word about whether there is one.
    @Test func anotherMailGoesToWhoIsNotConfirmed() async throws {
        try await run { rig in
            _ = try await register(rig)
            for text in ["ada@example.com", "ADA.L", "ada.l", "nobody", "", "nobody@example.com", "no name at all"] {
                let answer = try await send(rig, "/account/resend", ["email": text])
                #expect(answer.status == 200)
                #expect(answer.text == #"{"success":true}"#)
            }
            // Three within an hour, the first one included.
            #expect(Set(try links(rig)).count == 3)
            #expect(try payload(try await confirm(rig, try token(rig)))["username"] == "Ada.L")
            _ = try await send(rig, "/account/resend", ["email": "ada.l"])
            #expect(try links(rig).count == 3)
        }
    }

    /// Nobody is answered before somebody would be: at the end of a whole step.
    @Test(arguments: ["/account/resend", "/account/login"])
    func theTimeTellsNothing(path: String) async throws {
        try await run(evenTime: EvenTime()) { rig in
            _ = try await register(rig)
            for name in ["nobody", "ada.l"] {
                let began = ContinuousClock.now
                let members = ["email": name, "username": name, "password": "wrong"]
                #expect(try await send(rig, path, members).status == 200)
                #expect(ContinuousClock.now - began >= EvenTime.customary)
            }
        }
    }

    /// A page of another site makes no visitor's browser sign up.
    @Test func pagesOfOtherSitesAreRefused() async throws {
        try await run { rig in
            let body = try JSONSerialization.data(
                withJSONObject: ["username": "Ada.L", "email": "ada@example.com", "password": "correct horse"]
            )
            func status(_ headers: [String: String]) async throws -> Int {
                let fields = headers.merging(["Content-Type": "text/plain"]) { $1 }
                return try await rig.ask("/account/register", method: "POST", headers: fields, body: body).status
            }
            #expect(try await status(["Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"]) == 403)
            #expect(try await status(["Origin": "https://evil.example"]) == 403)
            #expect(try await status(["Sec-Fetch-Site": "same-site"]) == 403)
            #expect(try rig.documents("accounts").isEmpty)
            #expect(try rig.documents("outbox_mail").isEmpty)
            #expect(try await status(["Sec-Fetch-Site": "same-origin"]) == 200)
        }
    }

    /// Nobody reads there, or not who is meant.
    @Test func mailsGoToTheInternet() async throws {
        let rows = ["a@127.0.0.1", "a@host.123", "root@localhost.localdomain", "a@printer.local", "a@example.c"]
        try await run { rig in
            for email in rows {
                let answer = try await register(rig, "Ada.L", email)
                #expect(answer.status == 400, "\(email)")
                #expect(try rig.documents("outbox_mail").isEmpty)
            }
        }
    }

    @Test func noOtherTokenConfirms() async throws {
        try await run { rig in
            _ = try await register(rig)
            let tokens = try payload(try await confirm(rig, try token(rig)))
            for text in ["x", try #require(tokens["accessToken"]), try #require(tokens["refreshToken"]), ""] {
                #expect(try await confirm(rig, text).status == 400)
            }
            for text in ["x", try #require(tokens["accessToken"]), try token(rig), ""] {
                let answer = try await send(rig, "/account/access", ["refreshToken": text])
                #expect(answer.status == 401)
            }
        }
    }

    @Test func aNewPasswordEndsRefreshTokens() async throws {
        try await run { rig in
            _ = try await register(rig)
            let tokens = try payload(try await confirm(rig, try token(rig)))
            let isChanged = try rig.pool.withClient { client throws(MongoError) in
                let account = try AccountReader(client: client, database: rig.database).account(called: "ada.l")
                let change = PasswordChange(
                    client: client,
                    database: rig.database,
                    cost: PasswordCost(memory: 64, passes: 1)
                )
                guard let account, let password = PlainPassword("battery staple") else { return false }
                return (try? change.change(account, to: password, now: account.createdAt)) ?? nil != nil
            }
            #expect(isChanged)
            let renewed = try await send(
                rig,
                "/account/access",
                ["refreshToken": try #require(tokens["refreshToken"])]
            )
            #expect(renewed.status == 401)
            #expect(code(try await logIn(rig, "ada.l", "correct horse")) == 2)
            #expect(try payload(try await logIn(rig, "ada.l", "battery staple"))["username"] == "Ada.L")
        }
    }

    @Test func everythingElseIsNotFoundWithoutABody() async throws {
        let rows = [
            ("GET", "/account/register"), ("POST", "/account/check"), ("DELETE", "/account/login"), ("GET", "/account"),
            ("GET", "/account/access"), ("POST", "/account/confirm"), ("GET", "/nonsense"), ("POST", "/notify/more"),
            ("PATCH", "/account/confirm/abc"), ("GET", "/account/check/more"),
        ]
        try await run { rig in
            for (method, path) in rows {
                let answer = try await rig.ask(path, method: method)
                #expect(answer.status == 404, "\(method) \(path)")
                #expect(answer.text == "")
                // Ours keeps its own words.
                #expect(try await rig.ask("/v1/nonsense").type == "application/problem+json")
            }
        }
    }

    @Test func withoutTheSectionsThereIsNothing() async throws {
        try await APIRig.run { rig in
            for path in ["/account/check?username=free", "/account/confirm/abc", AppSiteAssociation.path] {
                let answer = try await rig.ask(path)
                #expect(answer.status == 404)
                #expect(answer.type == "application/problem+json")
            }
        }
    }

    @Test func strangersAskSoOftenAndNoMore() async throws {
        try await run(.init(signUpsPerHour: 2, logInsPerMinute: 3, checksPerMinute: 4)) { rig in
            for number in 0..<2 {
                #expect(try await register(rig, "name\(number)", "a\(number)@example.com").status == 200)
            }
            // What has not the form is not counted, and what asks for a mail is.
            #expect(try await register(rig, "x", "a@example.com").status == 400)
            let third = try await send(rig, "/account/resend", ["email": "name1"])
            #expect(third.status == 429)
            #expect(third.headers["retry-after"] == "1800")
            for _ in 0..<3 { #expect(code(try await logIn(rig, "nobody", "x")) == 1) }
            #expect(try await logIn(rig, "name1", "correct horse").status == 429)
            for _ in 0..<4 { #expect(try await rig.ask("/account/check?username=free").status == 200) }
            #expect(try await rig.ask("/account/check?username=free").status == 429)
        }
    }

    /// A person who mistypes often waits a while, wherever they ask from.
    @Test func wrongPasswordsSlowTheAccountDown() async throws {
        try await run { rig in
            _ = try await register(rig)
            for _ in 0..<5 { #expect(code(try await logIn(rig, "ada.l", "wrong")) == 2) }
            let answer = try await logIn(rig, "ada@example.com", "correct horse")
            #expect(answer.status == 429)
            // All but the last are status 200 to a log: here it shows what they were.
            var page = MetricsPage()
            rig.server.measure(into: &page)
            #expect(answer.headers["deprecation"] == "@1795478400")
            #expect(try await rig.ask("/v1/account").headers["deprecation"] == nil)
            for (outcome, number) in [("wrong_password", 5.0), ("delayed", 1), ("granted", 0)] {
                #expect(page.value("waybill_api_passwords_total", ["result": outcome]) == number)
            }
            #expect(answer.headers["retry-after"] == "1")
        }
    }

    @Test func nothingSecretOrPersonalIsLogged() async throws {
        try await run { rig in
            _ = try await register(rig, "lovelace", "lovelace@example.com", "hunter2hunter2")
            _ = try await rig.ask("/account/check?username=lovelace")
            let token = try token(rig)
            _ = try await rig.ask("/account/confirm/\(token)")
            let tokens = try payload(try await confirm(rig, token))
            _ = try await logIn(rig, "lovelace", "wrong-hunter2")
            let text = rig.lines().joined(separator: "\n")
            #expect(text.contains("/account/confirm/{token}"))
            #expect(text.contains("acc_"))
            for secret in [
                "lovelace", "hunter2", token, try #require(tokens["accessToken"]), try #require(tokens["refreshToken"]),
            ] {
                #expect(!text.contains(secret))
            }
        }
    }

    /// Mail scanners open links: looking at the page confirms nothing, and no script but its own runs in it.
    @Test func thePageOfALink() async throws {
        try await run { rig in
            _ = try await register(rig)
            let token = try token(rig)
            for method in ["GET", "HEAD"] {
                let answer = try await rig.ask("/account/confirm/\(token)", method: method)
                #expect(answer.status == 200)
                #expect(answer.type == "text/html; charset=utf-8")
                #expect(answer.headers["referrer-policy"] == "no-referrer")
                #expect(answer.headers["cache-control"] == "no-store")
                #expect(!answer.text.contains(token))
                let policy = try #require(answer.headers["content-security-policy"])
                #expect(policy.hasPrefix("default-src 'none'; script-src 'sha256-"))
                #expect(!policy.contains("unsafe"))
            }
            #expect(code(try await logIn(rig, "ada.l", "correct horse")) == 3)
            #expect(try payload(try await confirm(rig, token))["username"] == "Ada.L")
        }
    }

    @Test func linksBelongToTheApp() async throws {
        try await run { rig in
            let answer = try await rig.ask("/.well-known/apple-app-site-association")
            #expect(answer.status == 200)
            #expect(answer.type == "application/json")
            let links = try #require(answer.json["applinks"] as? [String: Any])
            #expect((links["apps"] as? [String]) == [])
            let detail = try #require((links["details"] as? [[String: Any]])?.first)
            #expect(detail["appID"] as? String == "ABCDE12345.com.example.app")
            #expect(detail["appIDs"] as? [String] == ["ABCDE12345.com.example.app"])
            #expect(detail["paths"] as? [String] == ["/account/confirm/*"])
            let component = try #require((detail["components"] as? [[String: String]])?.first)
            #expect(component["/"] == "/account/confirm/*")
            let credentials = answer.json["webcredentials"] as? [String: [String]]
            #expect(credentials?["apps"] == ["ABCDE12345.com.example.app"])
        }
    }
}
