import Foundation
import HTTPTypes
import Testing
import WaybillMongoTestSupport

@testable import WaybillHTTPAPI

/// A person's session in a browser: over real sockets.
@Suite(.enabled(if: TestDatabase.isAvailable), .timeLimit(.minutes(2)))
struct RefreshCookieTests {
    private let path = "/v1/account/sessions"

    private func logIn(
        _ rig: PeopleRig,
        in place: String,
        headers: [String: String] = [:]
    ) async throws -> APIRig.Answer {
        let members = ["username": "ada.l", "password": "correct horse", "refresh_in": place]
        return try await rig.server.ask(
            path,
            method: "POST",
            headers: headers.merging(["Content-Type": "application/json"]) { $1 },
            body: try JSONSerialization.data(withJSONObject: members)
        )
    }

    /// The cookie of an answer, as a browser sends it back.
    private func cookie(_ answer: APIRig.Answer) throws -> String {
        try #require(answer.headers["set-cookie"]?.split(separator: ";").first.map(String.init))
    }

    private func renew(_ rig: PeopleRig, _ headers: [String: String]) async throws -> APIRig.Answer {
        try await rig.server.ask("\(path)/refresh", method: "POST", headers: headers)
    }

    private func own(_ rig: PeopleRig, _ cookie: String) -> [String: String] {
        ["Cookie": cookie, "Origin": "http://127.0.0.1:\(rig.server.port)"]
    }

    @Test func aBrowserHasItsRefreshTokenInACookieAlone() async throws {
        try await PeopleRig.run { rig in
            try await rig.person()
            let began = try await logIn(rig, in: "cookie")
            #expect(began.status == 201)
            #expect(began.json["refresh_token"] == nil)
            let field = try #require(began.headers["set-cookie"])
            let form = /waybill_refresh=wbr_[0-9A-Za-z]{88}; Path=\/; Max-Age=7776000; HttpOnly; SameSite=Strict/
            #expect(field.wholeMatch(of: form) != nil)
            let first = try cookie(began)
            let renewed = try await renew(rig, own(rig, first))
            #expect(renewed.status == 200)
            #expect(renewed.json["refresh_token"] == nil)
            #expect(renewed.json["session"] as? String == began.json["session"] as? String)
            let second = try cookie(renewed)
            #expect(second != first)
            let access = try #require(renewed.json["access_token"] as? String)
            let changed = try await rig.server.ask(
                "/v1/account/password",
                key: access,
                method: "PUT",
                headers: ["Content-Type": "application/json"],
                body: Data(
                    #"{"password":"correct horse","new_password":"battery staple","refresh_in":"cookie"}"#.utf8
                )
            )
            #expect(changed.status == 200)
            #expect(changed.json["refresh_token"] == nil)
            let third = try cookie(changed)
            let last = try await renew(rig, own(rig, third))
            #expect(last.status == 200)
            let out = try await rig.server.ask(
                "\(path)/current",
                key: try #require(last.json["access_token"] as? String),
                method: "DELETE",
                headers: own(rig, try cookie(last))
            )
            #expect(out.status == 204)
            #expect(out.headers["set-cookie"]?.hasPrefix("waybill_refresh=; Path=/; Max-Age=0;") == true)
            #expect(try await renew(rig, own(rig, try cookie(last))).status == 401)
        }
    }

    @Test func anAppHasItInTheBody() async throws {
        try await PeopleRig.run { rig in
            try await rig.person()
            let began = try await logIn(rig, in: "body")
            #expect(began.headers["set-cookie"] == nil)
            let session = try PeopleRig.Session(began)
            #expect(try await rig.renew(session.refresh).headers["set-cookie"] == nil)
            let ended = try await rig.ask("DELETE", "\(path)/current", token: session.access)
            #expect(ended.headers["set-cookie"] == nil)
            #expect(try await logIn(rig, in: "somewhere").status == 400)
        }
    }

    /// A cookie travels whoever has made the browser ask.
    @Test func anotherSitesPageRenewsNothingAndLogsNobodyIn() async throws {
        try await PeopleRig.run { rig in
            try await rig.person()
            let cookie = try cookie(try await logIn(rig, in: "cookie"))
            let foreign: [[String: String]] = [
                ["Origin": "https://elsewhere.example"], ["Origin": "null"], ["Sec-Fetch-Site": "cross-site"],
                ["Sec-Fetch-Site": "same-site", "Origin": "http://127.0.0.1:\(rig.server.port)"],
            ]
            for headers in foreign {
                #expect(try await renew(rig, headers.merging(["Cookie": cookie]) { $1 }).status == 403, "\(headers)")
                #expect(try await logIn(rig, in: "cookie", headers: headers).status == 403, "\(headers)")
            }
            let silent = try await renew(rig, ["Cookie": cookie])
            #expect(silent.status == 403)
            #expect(silent.text.contains("an app sends refresh_token in the body"), "\(silent.text)")
            // Nothing of that was a use of the token.
            #expect(try await renew(rig, own(rig, cookie)).status == 200)
        }
    }

    @Test func oneCookieCountsOrNone() async throws {
        try await PeopleRig.run { rig in
            try await rig.person()
            let cookie = try cookie(try await logIn(rig, in: "cookie"))
            #expect(try await renew(rig, own(rig, "\(cookie); \(cookie)")).status == 401)
            #expect(try await renew(rig, own(rig, "waybill_refresh=nothing")).status == 401)
            #expect(try await renew(rig, own(rig, "other=1")).status == 400)
            // It is worth nothing but the next tokens.
            #expect(try await rig.server.ask("/v1/account", headers: own(rig, cookie)).status == 401)
            #expect(try await rig.server.ask("/v1/session", headers: own(rig, cookie)).status == 401)
        }
    }
}
