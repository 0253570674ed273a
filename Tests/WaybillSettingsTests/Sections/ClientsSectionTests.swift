import Testing
import WaybillCore
import WaybillEncoding
import WaybillProviders

@testable import WaybillSettings

@Suite("Limits on age, and collapse ids, in the configuration")
struct ClientsSectionTests {
    private func load(_ lane: String, _ rest: String) throws -> LoadedConfiguration {
        try ConfigurationText.load(
            ConfigurationText.minimal.replacing("    bundle_id:", with: "\(lane)    bundle_id:") + rest
        )
    }

    @Test("a lane and a client have a max_age, and a lane its collapse rule")
    func read() throws {
        let loaded = try load(
            "    max_age: 10m\n    collapse: notification\n",
            "clients:\n  acme: {max_age: 1h}\n  contoso: {apps: [com.example.parcels]}\n"
        )
        #expect(loaded.findings == [])
        let configuration = try #require(loaded.configuration)
        #expect(configuration.lanes[0].lane.maxAge == 600)
        #expect(configuration.lanes[0].apns?.rules.collapse == .notification)
        #expect(
            configuration.clients == [
                "acme": ClientSettings(maxAge: .seconds(3600)),
                "contoso": ClientSettings(apps: ["com.example.parcels"]),
            ]
        )
    }

    @Test("names that are canonically equivalent are two", arguments: ["caf\u{E9}", "\"caf\u{E9}\""])
    func equivalentNames(composed: String) throws {
        let other = "cafe\u{301}"
        let loaded = try load(
            "",
            "clients:\n  \(composed): {max_age: 1h}\n  \(other): {max_age: 2h, apps: [com.example.parcels]}\n"
        )
        #expect(loaded.findings == [])
        let clients = try #require(loaded.configuration).clients
        #expect(clients["caf\u{E9}"] == ClientSettings(maxAge: .seconds(3600)))
        #expect(clients["cafe\u{301}"] == ClientSettings(maxAge: .seconds(7200), apps: ["com.example.parcels"]))
        let twice = try load("", "clients:\n  \(other): {}\n  \(composed): {}\n  \(other): {}\n")
        #expect(twice.findings.first?.message.contains("names a key twice in one section: \(other)") == true)
    }

    @Test("without them there is no limit, and collapse ids are of the content")
    func defaults() throws {
        let configuration = try #require(load("", "").configuration)
        #expect(configuration.lanes[0].lane.maxAge == nil)
        #expect(configuration.lanes[0].apns?.rules.collapse == .content)
        #expect(configuration.clients == [:])
        #expect(configuration.dispatch.unreachable == .seconds(30))
    }

    @Test(
        "what cannot be is an error at its path",
        arguments: [
            ("    max_age: 366d\n", "", "lanes[0].max_age"), ("    max_age: 500ms\n", "", "lanes[0].max_age"),
            ("    max_age: soon\n", "", "lanes[0].max_age"), ("    collapse: both\n", "", "lanes[0].collapse"),
            ("", "clients:\n  acme: {max_age: 0s}\n", "clients.acme.max_age"),
            ("", "clients:\n  acme: {maxage: 1h}\n", "clients.acme.maxage"),
            ("", "clients: {acme: {apps: []}}\n", "clients.acme.apps"),
            ("", "clients: {acme: {apps: one}}\n", "clients.acme.apps"),
            ("", "clients: [acme]\n", "clients"), ("", "clients: {acme: 1h}\n", "clients.acme"),
            ("", "dispatch: {unreachable: 91s}\n", "dispatch.unreachable"),
        ]
    )
    func errors(lane: String, rest: String, path: String) throws {
        let loaded = try load(lane, rest)
        #expect(loaded.configuration == nil)
        #expect(loaded.findings.map(\.path) == [path])
    }

    private static let serve = "serve: {listen: '127.0.0.1:8080'}\n"
    private static let services = """
        serve:
          listen: '127.0.0.1:8080'
          accounts: {base_url: 'https://push.example.com', root_secret_file: root}
          notifire: {services: {app: com.example.parcels, lane: parcels, client: notices}}

        """

    @Test(
        "a client without a list reaches no app once a client has one, or campaigns can be prepared over HTTP",
        arguments: [
            ("clients: {acme: {max_age: 1h}}\n", false, []),
            ("clients: {acme: {apps: [com.example.parcels]}, contoso: {}}\n", true, ["contoso", "notifications"]),
            (serve, true, ["notifications"]),
            (serve + "clients: {acme: {}, notifications: {apps: [com.example.parcels]}}\n", true, ["acme"]),
            (serve + "producers: {users: {shop: {clients: [globex]}}}\n", true, ["globex", "notifications"]),
            (services + "schedule: {client: paper}\n", true, ["paper"]),
        ] as [(String, Bool, [String])]
    )
    func reach(rest: String, isClosed: Bool, clients: [String]) throws {
        let sections = try #require(try load("", rest).sections)
        #expect(sections.reach.isClosed == isClosed)
        #expect(sections.clientsWithoutApps == clients)
        #expect(sections.configuration?.reach == sections.reach)
    }

    @Test("the client of people's services has the apps of its section")
    func reachOfServices() throws {
        let sections = try #require(try load("", Self.services).sections)
        #expect(sections.reach.apps == ["notices": ["com.example.parcels"]])
    }

    @Test("an app that no lane sends to is a warning, with the nearest name")
    func unknownApp() throws {
        let findings = try load("", "clients: {acme: {apps: [com.example.parcel]}}\n").findings
        #expect(findings.map(\.path) == ["clients.acme.apps"])
        #expect(findings.first?.message.contains("did you mean com.example.parcels?") == true)
        #expect(!findings.hasErrors)
    }
}
