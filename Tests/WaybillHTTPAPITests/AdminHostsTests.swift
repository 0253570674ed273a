import Testing

@testable import WaybillHTTPAPI

@Suite("Hosts of the admin listener")
struct AdminHostsTests {
    private static let hosts = AdminHosts(
        listening: "push.internal",
        machine: "push-1",
        others: ["Push-1.Example.com."]
    )

    @Test(arguments: [
        "", "127.0.0.1", "127.0.0.1:", "127.0.0.1:9464", "10.2.3.4:80", "[::1]", "[::1]:9464", "[2001:db8::1]:9464",
        "localhost", "LOCALHOST:9464",
        "localhost.", "push.internal", "push-1:9464", "push-1.example.com", "push-1.example.com.:9464",
    ])
    func own(authority: String) { #expect(Self.hosts.include(authority)) }

    @Test(arguments: [
        "foreign.example", "foreign.example:9464", "push-1.foreign.example", "localhost.foreign.example",
        "127.0.0.1.foreign.example",
        "1.2.3.4.5", "127.0.0.1:x", "127.0.0.1:80:80", "[::1", "[::1]x", "[foreign.example]", "::1", "0x7f.1",
        "a@127.0.0.1", ".", "push-1..",
    ])
    func foreign(authority: String) { #expect(!Self.hosts.include(authority)) }

    @Test func aListenerWithoutANameHasNone() {
        let hosts = AdminHosts(listening: "0.0.0.0", machine: "", others: [])
        #expect(!hosts.include("."))
        #expect(!hosts.include("push-1"))
        #expect(hosts.include("localhost"))
    }
}
