import Foundation
import HTTPTypes
import Testing
import WaybillAccounts

@testable import WaybillHTTPAPI

/// Bodies whose members are wrong, on all routes: each is pointed to, all of them at once, and no value is repeated.
@Suite(.enabled(if: NoticeRig.isPossible), .timeLimit(.minutes(2)))
struct WrongMembersTests {
    private struct Route {
        let method: HTTPRequest.Method
        let path: String
        let members: Set<String>
        let key: String?
    }

    private static let other = "5C2D2E36-4C2B-4B8B-9E39-0F1A8C9D7E10"

    private func routes(_ rig: NoticeRig) throws -> [Route] {
        let (steward, key) = (try rig.api.key(.steward).text, try rig.key([.notify]))
        let endpoints = rig.api.server.endpoints
        let ofKeys = endpoints.endpoints.map { endpoint in
            Route(
                method: endpoint.method,
                path: endpoint.path,
                members: endpoint.members,
                key: endpoint.keyIsInBody ? nil : steward
            )
        }
        let ofPeople = try #require(endpoints.people).endpoints.map { endpoint in
            let shown: String? =
                switch endpoint.answer {
                case .stranger: nil
                case .person, .reader: rig.ada.access
                case .key: key
                }
            return Route(method: endpoint.method, path: endpoint.path, members: endpoint.members, key: shown)
        }
        return (ofKeys + ofPeople).filter { !$0.members.isEmpty }
    }

    /// Waits where somebody asks too often.
    private func ask(
        _ rig: NoticeRig,
        _ method: String,
        _ path: String,
        _ members: [String: Any]? = nil,
        key: String?
    ) async throws -> APIRig.Answer {
        while true {
            let answer = try await rig.people.ask(method, path, members, token: key)
            guard answer.status == 429 else { return answer }
            let seconds = try #require(answer.headers["retry-after"].flatMap { Int($0) })
            try #require(seconds < 10, "\(method) \(path): \(answer.text)")
            try await Task.sleep(for: .seconds(seconds))
        }
    }

    private func pointers(_ answer: APIRig.Answer) -> [String] {
        (answer.json["errors"] as? [[String: String]] ?? []).compactMap { $0["pointer"] }.sorted()
    }

    /// No member is a number with a fraction, and none is called so.
    @Test func everyMemberOfTheWrongTypeIsPointedTo() async throws {
        try await NoticeRig.run { rig in
            let routes = try routes(rig)
            #expect(routes.count > 35)
            for route in routes {
                let path = route.path.replacing("{service}", with: rig.service)
                    .replacing(/\{\w+\}/, with: Self.other)
                var body: [String: Any] = ["no_such_member": true]
                for member in route.members { body[member] = 1.5 }
                let answer = try await ask(rig, route.method.rawValue, path, body, key: route.key)
                let name = "\(route.method) \(route.path): \(answer.text)"
                #expect(answer.status == 400, "\(name)")
                #expect(pointers(answer) == body.keys.map { "#/\($0)" }.sorted(), "\(name)")
                #expect(!answer.text.contains("1.5"), "\(name)")
            }
        }
    }

    /// What has the right type, and cannot be meant.
    @Test func everyMemberWithTheWrongValueIsPointedTo() async throws {
        let long = String(repeating: "x", count: 65)
        try await NoticeRig.run { rig in
            let service = "/v1/services/\(rig.service)"
            let rows: [(method: String, path: String, body: [String: Any], pointers: [String])] = [
                (
                    "PUT", "\(service)/membership", ["levels": ["x"], "muted_until": "2030-01-01T00:00:00"],
                    ["levels", "muted_until"]
                ),
                (
                    "PUT", "\(service)/membership", ["levels": [], "muted_until": "2020-01-01T00:00:00Z"],
                    ["muted_until"]
                ),
                (
                    "PUT", "/v1/account/quiet-hours", ["from": "x", "to": "25:00", "zone": "CET+1"],
                    ["from", "to", "zone"]
                ),
                ("PUT", "/v1/account/quiet-hours", ["from": "22:00", "to": "22:00", "zone": "UTC"], ["to"]),
                ("PUT", "/v1/account/quiet-hours", [:], ["from", "to", "zone"]),
                ("POST", "\(service)/keys/\(Self.other)/rotate", ["overlap": "2h"], ["overlap"]),
                ("POST", "\(service)/webhooks/\(Self.other)/rotate", ["overlap": "2h"], ["overlap"]),
                (
                    "POST", "\(service)/webhooks/\(Self.other)/replay", ["since": "x", "until": "y"],
                    ["since", "until"]
                ),
                (
                    "POST", "\(service)/webhooks/\(Self.other)/replay",
                    ["since": "2026-01-02T00:00:00Z", "until": "2026-01-01T00:00:00Z"], ["since"]
                ),
                ("POST", "\(service)/webhooks/\(Self.other)/replay", [:], [""]),
                ("POST", "\(service)/invitations", ["role": "owner", "email": "nobody"], ["email", "role"]),
                ("PUT", "\(service)/members/\(Self.other)", ["role": "x"], ["role"]),
                (
                    "POST", "\(service)/keys", ["name": "", "kind": "x", "scopes": ["y"], "expires_at": "z"],
                    ["expires_at", "kind", "name", "scopes"]
                ),
                ("POST", "/v1/services", ["name": "\u{7}", "levels": ["x"]], ["levels", "name"]),
                ("PATCH", service, ["name": "\u{7}"], ["name"]),
                ("PUT", "/v1/notifications/read", ["until": "x", "device": 1], ["device", "until"]),
                (
                    "PUT", "/v1/account/devices/\(Self.other)",
                    [
                        "token": "not hexadecimal", "locale": "a b", "time_zone": "a b", "app_version": long,
                        "tags": [long],
                        "token_kind": "x",
                    ],
                    ["app_version", "tags", "time_zone", "token_kind"]
                ),
                (
                    "PUT", "/v1/account/devices/\(Self.other)", ["token": "not hexadecimal", "time_zone": long],
                    ["time_zone", "token"]
                ),
                (
                    "PUT", "/v1/account/devices/\(Self.other)", ["provider": "x", "app_version": "a b"],
                    ["app_version", "provider", "token"]
                ),
            ]
            for (method, path, body, expected) in rows {
                let answer = try await ask(rig, method, path, body, key: rig.ada.access)
                let wanted = expected.map { $0.isEmpty ? "#" : "#/\($0)" }
                #expect(answer.status == 400 && pointers(answer) == wanted, "\(method) \(path): \(answer.text)")
                for typed in ["not hexadecimal", long] { #expect(!answer.text.contains(typed)) }
            }
            let steward = try rig.api.key(.steward).text
            let orders: [(path: String, body: [String: Any], pointers: [String])] = [
                (
                    "/v1/batches/b/cancel", ["ahead": "x", "note": String(repeating: long, count: 20)],
                    ["#/ahead", "#/note"]
                ),
                ("/v1/rejected/drop", [:], ["#"]),
                ("/v1/campaigns/c/test", ["users": [1], "devices": [2]], ["#/devices", "#/users"]),
                ("/v1/campaigns/c/test", [:], ["#"]),
            ]
            for (path, body, wanted) in orders {
                let answer = try await ask(rig, "POST", path, body, key: steward)
                #expect(answer.status == 400 && pointers(answer) == wanted, "\(path): \(answer.text)")
            }
        }
    }

    /// A key with one character less, or another one, is told from one that nobody knows.
    @Test func aTypingMistakeInAKeyIsToldSoEverywhere() async throws {
        try await NoticeRig.run { rig in
            let (ofService, ofOperator) = (try rig.key([.notify, .read]), try rig.api.key(.reader).text)
            let unknown = KeySecret.generate(mode: .live).reveal()
            func answers(_ key: String) async throws -> [APIRig.Answer] {
                [
                    try await ask(rig, "GET", "/v1/notifications", key: key),
                    try await ask(rig, "POST", "/v1/notifications", ["level": "info", "body": "a"], key: key),
                    try await ask(rig, "GET", "/v1/notifications/\(Self.other)", key: key),
                    try await ask(rig, "GET", "/v1/status", key: key),
                    try await ask(rig, "POST", "/v1/session", ["key": key], key: nil),
                ]
            }
            for key in [ofService, ofOperator] {
                let last = key.last == "0" ? "1" : "0"
                for wrong in [String(key.dropLast()), String(key.dropLast()) + last, "wbk_livf_" + key.dropFirst(9)] {
                    for answer in try await answers(wrong) {
                        #expect(answer.status == 401 && answer.headers["www-authenticate"] != nil)
                        let words = "this is not a whole key: there is a typing mistake in it"
                        #expect(answer.json["detail"] as? String == words, "\(answer.text)")
                        #expect(!answer.text.contains(wrong))
                    }
                }
            }
            for answer in try await answers(unknown) {
                #expect(answer.status == 401 && !answer.text.contains("typing mistake"), "\(answer.text)")
            }
        }
    }
}
