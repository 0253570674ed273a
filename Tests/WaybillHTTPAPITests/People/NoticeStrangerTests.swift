import Foundation
import HTTPTypes
import Testing
import WaybillAccounts
import WaybillMongo

@testable import WaybillHTTPAPI

/// Every route about notifications, events and devices, as somebody whose they are not.
@Suite(.enabled(if: NoticeRig.isPossible), .timeLimit(.minutes(2)))
struct NoticeStrangerTests {
    private static let device = "5C2D2E36-4C2B-4B8B-9E39-0F1A8C9D7E10"

    @Test func nothingOfSomebodyElsesIsThereForStrangers() async throws {
        try await NoticeRig.run { rig in
            let own = "/v1/account/devices/\(Self.device)"
            let token = ["token": NoticeRig.token]
            #expect(try await rig.people.ask("PUT", own, token, token: rig.ada.access).status == 204)
            let sent = try await rig.send(try rig.key([.notify, .read]), ["level": "error", "body": "It is full"])
            let id = try #require(sent.json["id"] as? String)
            try await NoticeRig.until {
                try rig.api.documents("notifications").allSatisfy { $0["state"]?.string == "sent" }
            }
            let expected: [String: Int] = [
                "POST /v1/notifications": 401, "GET /v1/notifications": 200,
                "GET /v1/notifications/{notification}": 404, "PUT /v1/notifications/read": 200,
                "PUT /v1/notifications/{notification}/read": 404,
                "PUT /v1/notifications/{notification}/acknowledged": 404, "GET /v1/events": 200,
                "GET /v1/account/devices": 200, "PUT /v1/account/devices/{device}": 409,
                "DELETE /v1/account/devices/{device}": 404,
            ]
            let bodies: [String: [String: Any]] = [
                "POST /v1/notifications": ["level": "error", "body": "Mine"],
                "PUT /v1/account/devices/{device}": ["token": String(repeating: "ab", count: 32)],
                "PUT /v1/notifications/read": ["service": rig.service],
            ]
            let endpoints = try #require(rig.api.server.endpoints.people).endpoints.filter { endpoint in
                ["/v1/notifications", "/v1/events", "/v1/account/devices"].contains { endpoint.path.hasPrefix($0) }
            }
            #expect(Set(endpoints.map { "\($0.method.rawValue) \($0.path)" }) == Set(expected.keys))
            func snapshot() throws -> [BSONDocument] {
                try ["notifications", "receipts", "devices", "device_links", "account_events"].flatMap {
                    try rig.api.documents($0)
                }
            }
            let before = try snapshot()
            for endpoint in endpoints {
                let name = "\(endpoint.method.rawValue) \(endpoint.path)"
                let path = endpoint.path.replacing("{notification}", with: id).replacing("{device}", with: Self.device)
                // A stream of events goes on and on; `EventRoutesTests` has what comes in it.
                let method = endpoint.path == "/v1/events" ? "HEAD" : endpoint.method.rawValue
                let asStranger = try await rig.people.ask(method, path, bodies[name], token: rig.eve.access)
                #expect(asStranger.status == expected[name], "\(name)")
                for secret in [id, rig.service, Self.device, NoticeRig.token] {
                    #expect(!asStranger.text.contains(secret), "\(name)")
                }
                #expect(try await rig.people.ask(method, path, bodies[name]).status == 401, "\(name)")
            }
            #expect(try snapshot() == before)
        }
    }
}
