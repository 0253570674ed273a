import Testing
import WaybillCore
import WaybillEncoding

@testable import WaybillAudience

struct ClientAppsTests {
    private static let apps = ClientApps(["acme": ["com.example.parcels"], "globex": ["a", "b"], "caf\u{E9}": ["a"]])

    @Test(
        "a client that is bound to apps reaches these, every other client all of them",
        arguments: [
            ("acme", "com.example.parcels", true), ("acme", "com.example.chat", false), ("acme", "", false),
            ("globex", "b", true), ("globex", "com.example.parcels", false), ("Acme", "com.example.chat", true),
            ("other", "com.example.chat", true), ("caf\u{E9}", "b", false), ("cafe\u{301}", "b", true),
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
}
