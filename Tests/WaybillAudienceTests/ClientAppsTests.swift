import Testing
import WaybillCore
import WaybillEncoding

@testable import WaybillAudience

struct ClientAppsTests {
    private static let apps = ClientApps(["acme": ["com.example.parcels"], "globex": ["a", "b"], "caf\u{E9}": ["a"]])

    @Test(
        "a client that is bound to apps reaches these, every other client none",
        arguments: [
            ("acme", "com.example.parcels", true), ("acme", "com.example.chat", false), ("acme", "", false),
            ("globex", "b", true), ("globex", "com.example.parcels", false), ("Acme", "com.example.parcels", false),
            ("other", "com.example.chat", false), ("caf\u{E9}", "a", true), ("cafe\u{301}", "a", false),
        ]
    )
    func reach(client: String, app: String, isAllowed: Bool) {
        do throws(BodyRejection) {
            try Self.apps.examine(client: client, apps: [app])
            #expect(isAllowed)
        } catch {
            #expect(!isAllowed)
            #expect(error.reason == "forbidden_app")
            #expect(error.detail.hasPrefix("select.app: "))
        }
    }

    @Test("where no client is bound, all reach all apps, unless campaigns can be prepared over HTTP")
    func reachWithoutLists() {
        #expect(throws: Never.self) { try ClientApps().examine(client: "acme", apps: ["com.example.chat"]) }
        let refusal = #expect(throws: BodyRejection.self) {
            try ClientApps(isClosed: true).examine(client: "acme", apps: ["com.example.chat"])
        }
        #expect(refusal?.reason == "forbidden_app" && refusal?.detail.contains("may reach no app") == true)
    }
}
