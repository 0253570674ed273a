import Foundation
import Testing
import WaybillAccounts
import WaybillMongo
import WaybillSettings
import WaybillTestSupport

@testable import WaybillHTTPAPI

/// A server with accounts, and with the thesis' API beside ours.
struct PeopleRig {
    let server: APIRig.Running

    static func run(
        _ limits: AccountSettings.Limits = .init(signUpsPerHour: 1000, logInsPerMinute: 1000, checksPerMinute: 1000),
        _ body: (PeopleRig) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        let root = try folder.write("root", String(repeating: "root secret ", count: 4))
        let settings = { (port: Int) in
            ServeSettings(
                listen: .init(host: "127.0.0.1", port: UInt16(port)),
                page: nil,
                accounts: AccountSettings(
                    baseURL: "https://push.example.com",
                    roots: .init(file: root),
                    hashing: .init(memory: 64, passes: 1),
                    limits: limits
                ),
                notifire: NotifireSettings()
            )
        }
        try await APIRig.run(settings: settings) { server in
            try server.pool.withClient { client throws(MongoError) in
                _ = try AccountsIndexes.ensure(client: client, database: server.database)
            }
            try await body(PeopleRig(server: server))
        }
    }

    /// Asks with a body of JSON.
    func ask(
        _ method: String,
        _ path: String,
        _ members: [String: Any]? = nil,
        token: String? = nil
    ) async throws -> APIRig.Answer {
        try await server.ask(
            path,
            key: token,
            method: method,
            headers: members == nil ? [:] : ["Content-Type": "application/json"],
            body: try members.map { try JSONSerialization.data(withJSONObject: $0) }
        )
    }

    struct Mail {
        let recipient: String
        let subject: String
        /// What its link ends with.
        let token: String?
    }

    /// The mails that wait, the latest last.
    func mails() throws -> [Mail] {
        try server.documents("outbox_mail").sorted { ($0["created_at"]?.date ?? 0) < ($1["created_at"]?.date ?? 0) }
            .map { document in
                let lines = document["text"]?.string?.split(whereSeparator: \.isNewline).map(String.init) ?? []
                let link = lines.first { $0.hasPrefix("https://push.example.com/account/") }
                return Mail(
                    recipient: document["to"]?.string ?? "",
                    subject: document["subject"]?.string ?? "",
                    token: link?.split(separator: "/").last.map(String.init)
                )
            }
    }

    func signUp(
        _ name: String = "Ada.L",
        _ email: String = "ada@example.com",
        _ password: String = "correct horse"
    ) async throws -> APIRig.Answer {
        try await ask("POST", "/v1/account", ["username": name, "email": email, "password": password])
    }

    /// Signs up and confirms.
    func person(_ name: String = "Ada.L", _ email: String = "ada@example.com") async throws {
        #expect(try await signUp(name, email).status == 202)
        let token = try #require(try mails().last { $0.recipient == email }?.token)
        #expect(try await ask("PUT", "/v1/account/confirmation", ["token": token]).status == 204)
    }

    struct Session {
        let id: String
        let access: String
        let refresh: String

        init(_ answer: APIRig.Answer) throws {
            id = try #require(answer.json["session"] as? String)
            access = try #require(answer.json["access_token"] as? String)
            refresh = try #require(answer.json["refresh_token"] as? String)
        }
    }

    func logIn(
        _ name: String = "ada.l",
        _ password: String = "correct horse",
        device: String? = nil
    ) async throws -> APIRig.Answer {
        var members = ["username": name, "password": password]
        members["name"] = device
        return try await ask("POST", "/v1/account/sessions", members)
    }

    func session(_ name: String = "ada.l", _ password: String = "correct horse") async throws -> Session {
        let answer = try await logIn(name, password)
        #expect(answer.status == 201)
        return try Session(answer)
    }

    func renew(_ refresh: String) async throws -> APIRig.Answer {
        try await ask("POST", "/v1/account/sessions/refresh", ["refresh_token": refresh])
    }
}
