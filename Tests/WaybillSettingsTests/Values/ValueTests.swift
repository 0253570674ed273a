import Testing
import WaybillCore

@testable import WaybillSettings

@Suite("Small values")
struct ValueTests {
    @Test(
        "the nearest name",
        arguments: [
            ("ulr", "url"), ("que_prefix", "queue_prefix"), ("Max_in_flight", "max_in_flight"),
            ("passwort", "password"),
        ]
    )
    func nearest(slip: String, name: String) {
        #expect(NearestName.to(slip, among: ["url", "queue_prefix", "max_in_flight", "password"]) == name)
    }

    @Test("a name that is near to nothing has no nearest", arguments: ["xyz", "level", "q"])
    func nothingNear(word: String) {
        #expect(NearestName.to(word, among: ["url", "queue_prefix", "max_in_flight"]) == nil)
    }

    @Test(
        "listening addresses",
        arguments: [
            ("127.0.0.1:9464", AdminSettings.Listen(host: "127.0.0.1", port: 9464)),
            ("[::1]:80", AdminSettings.Listen(host: "::1", port: 80)),
            ("localhost", nil), ("::1:80", nil), (":80", nil), ("h:0", nil), ("h:65536", nil), ("[]:80", nil),
            ("a/b:80", nil),
        ]
    )
    func listen(text: String, address: AdminSettings.Listen?) {
        #expect(AdminSettings.Listen(text) == address)
    }
}
