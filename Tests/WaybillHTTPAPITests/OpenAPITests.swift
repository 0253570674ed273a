import Foundation
import HTTPTypes
import Hummingbird
import Testing
import WaybillCore
import WaybillFleet
import WaybillOutbox
import WaybillSettings
import WaybillTestSupport
import Yams

@testable import WaybillHTTPAPI

/// `schemas/openapi.yaml` and the routes, held against each other both ways.
@Suite(.timeLimit(.minutes(2)))
struct OpenAPITests {
    private func document() throws -> [String: Any] {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../schemas/openapi.yaml").standardized
        return try #require(try Yams.load(yaml: String(contentsOf: file, encoding: .utf8)) as? [String: Any])
    }

    /// Names of parameters by method and path.
    private func operations(in place: String) throws -> [String: Set<String>] {
        var found: [String: Set<String>] = [:]
        let document = try document()
        let paths = try #require(document["paths"] as? [String: [String: [String: Any]]])
        let components = try #require(document["components"] as? [String: Any])
        let shared = try #require(components["parameters"] as? [String: [String: Any]])
        for (path, methods) in paths {
            for (method, operation) in methods {
                let parameters = (operation["parameters"] as? [[String: Any]] ?? []).map { parameter in
                    let name = (parameter["$ref"] as? String)?.split(separator: "/").last.map(String.init)
                    return name.flatMap { shared[$0] } ?? parameter
                }
                let names = parameters.filter { $0["in"] as? String == place }.compactMap { $0["name"] as? String }
                found["\(method.uppercased()) \(path)"] = Set(names)
            }
        }
        return found
    }

    private func people(_ rig: APIRig.Running) throws -> [PersonEndpoint] {
        try #require(rig.server.endpoints.people).endpoints
    }

    @Test func everyRouteIsDescribedAndNoOther() async throws {
        let described = try operations(in: "query")
        try await APIRig.runWithAccounts { rig in
            let routes = Set(
                rig.server.router().routes.filter { $0.method != .head }.map { "\($0.method.rawValue) \($0.path)" }
            )
            // The pages' own files are no part of the contract.
            let page = Set(
                (PageRoutes.paths + [PageRoutes.peoplePath] + LinkPage.Kind.allCases.map(\.path)).map { "GET \($0)" }
            )
            #expect(routes.subtracting(page) == Set(described.keys))
            #expect(routes.isSuperset(of: page))
        }
    }

    @Test func everyParameterIsDescribedAndNoOther() async throws {
        let (query, path) = (try operations(in: "query"), try operations(in: "path"))
        try await APIRig.runWithAccounts { rig in
            for endpoint in rig.server.endpoints.endpoints {
                let name = "\(endpoint.method.rawValue) \(endpoint.path)"
                #expect(query[name] == endpoint.parameters)
                let inPath = endpoint.path.matches(of: /\{(\w+)\}/).map { String($0.1) }
                #expect(path[name] == Set(inPath))
            }
            for endpoint in try people(rig) {
                let name = "\(endpoint.method.rawValue) \(endpoint.path)"
                #expect(query[name] == endpoint.parameters)
                #expect(path[name] == Set(endpoint.path.matches(of: /\{(\w+)\}/).map { String($0.1) }))
            }
        }
    }

    @Test func everyKindOfFindingIsDescribedAndNoOther() throws {
        let kinds = try member([
            "paths", "/v1/status", "get", "responses", "200", "content", "application/json", "schema", "properties",
            "findings", "items", "properties", "kind", "enum",
        ])
        #expect(kinds as? [String] == FindingKind.allCases.map(\.rawValue))
    }

    /// The member of the document at a path of names.
    private func member(_ path: [String]) throws -> Any? {
        try path.reduce(document() as Any?) { node, name in (node as? [String: Any])?[name] }
    }

    @Test func describesEveryOutcome() throws {
        let pattern = try member(["components", "parameters", "outcome", "schema", "items", "pattern"])
        let all = Outcome.allCases.map(\.rawValue)
        #expect(pattern as? String == "^!?(\(all.joined(separator: "|")))$")
        let parameters = try #require(try member(["paths", "/v1/stats", "get", "parameters"]) as? [[String: Any]])
        let parameter = try #require(parameters.first { $0["name"] as? String == "outcome" })
        let items = (parameter["schema"] as? [String: Any])?["items"] as? [String: Any]
        let final = Outcome.allCases.filter(\.isFinal).map(\.rawValue)
        #expect(items?["pattern"] as? String == "^!?(\(final.joined(separator: "|")))$")
    }

    @Test func describesEveryWebhookEventOfServices() throws {
        let names = try member(["components", "schemas", "WebhookEventType", "enum"]) as? [String]
        #expect(Set(names ?? []) == Set(WebhookEventType.ofServices.map(\.rawValue)))
    }

    /// As docs/operations/api.md and troubleshoot.md have it.
    @Test func thePagesSayHowLongAReplayMayTake() throws {
        let seconds = (APILimits.handlingTime - RejectedRoutes.margin).components.seconds
        let words = ["api.md": "They have \(seconds) s", "troubleshoot.md": "Over HTTP it waits for eight seconds"]
        for (page, words) in words {
            let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .appendingPathComponent("../../docs/operations/\(page)").standardized
            #expect(try String(contentsOf: file, encoding: .utf8).contains(words), "\(page)")
        }
        #expect(seconds == 8)
    }

    /// The members of bodies by method and path.
    private func members() throws -> [String: Set<String>] {
        let document = try document()
        let paths = try #require(document["paths"] as? [String: [String: [String: Any]]])
        let components = try #require(document["components"] as? [String: Any])
        let shared = components["requestBodies"] as? [String: [String: Any]] ?? [:]
        var found: [String: Set<String>] = [:]
        for (path, methods) in paths {
            for (method, operation) in methods {
                guard let body = operation["requestBody"] as? [String: Any] else { continue }
                let name = (body["$ref"] as? String)?.split(separator: "/").last.map(String.init)
                let content = (name.flatMap { shared[$0] } ?? body)["content"] as? [String: [String: Any]]
                // A file has no members.
                guard let json = content?["application/json"] else { continue }
                let schema = json["schema"] as? [String: Any]
                // A route that asks for no key reads its own.
                guard schema?["oneOf"] == nil else { continue }
                let properties = try #require(schema?["properties"] as? [String: Any])
                found["\(method.uppercased()) \(path)"] = Set(properties.keys)
            }
        }
        return found
    }

    /// A body that is too large, comes too slowly, or is no JSON in UTF-8.
    @Test func whatABodyIsRefusedForIsDescribed() async throws {
        let paths = try #require(try document()["paths"] as? [String: [String: [String: Any]]])
        try await APIRig.runWithAccounts { rig in
            let ofKeys = rig.server.endpoints.endpoints.map { ($0.method, $0.path, $0.members) }
            let ofPeople = try people(rig).map { ($0.method, $0.path, $0.members) }
            for (method, path, members) in ofKeys + ofPeople where !members.isEmpty {
                let operation = paths[path]?[method.rawValue.lowercased()]
                let answers = try #require(operation?["responses"] as? [String: Any], "\(method) \(path)")
                #expect(answers.keys.contains("400"), "\(method) \(path)")
                let missing = Set(["408", "413", "415"]).subtracting(answers.keys)
                #expect(missing.isEmpty, "\(method) \(path): \(missing)")
            }
        }
        let renewal = paths["/v1/account/sessions/refresh"]?["post"]?["responses"] as? [String: Any]
        #expect(renewal?["403"] != nil)
    }

    @Test func everyMemberOfABodyIsDescribedAndNoOther() async throws {
        let described = try members()
        try await APIRig.runWithAccounts { rig in
            let ofKeys = rig.server.endpoints.endpoints.map { ("\($0.method.rawValue) \($0.path)", $0.members) }
            let ofPeople = try people(rig).map { ("\($0.method.rawValue) \($0.path)", $0.members) }
            let wanted = Dictionary(uniqueKeysWithValues: (ofKeys + ofPeople).filter { !$0.1.isEmpty })
            #expect(described == wanted)
        }
    }
}
