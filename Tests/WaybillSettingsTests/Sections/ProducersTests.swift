import Testing
import WaybillCore
import WaybillEncoding

@testable import WaybillSettings

@Suite("Who may send as whom")
struct ProducersTests {
    private func load(_ producers: String) throws -> LoadedConfiguration {
        try ConfigurationText.load(ConfigurationText.minimal + producers + "\n")
    }

    @Test("without the section nobody is asked")
    func absent() throws {
        #expect(try load("").configuration?.producers == nil)
    }

    @Test("users have lists, and what is absent allows all")
    func lists() throws {
        let loaded = try load(
            """
            producers:
              strict: true
              users:
                acme-app: {clients: [acme, acme-b2b], lanes: [parcels], push_types: [alert, background]}
                nightly: {}
            """
        )
        #expect(loaded.findings == [])
        let expected = ProducerRules(
            isStrict: true,
            users: [
                "acme-app": ProducerRules.Rights(
                    clients: ["acme", "acme-b2b"],
                    lanes: ["parcels"],
                    kinds: ["alert", "background"]
                ), "nightly": ProducerRules.Rights(),
            ]
        )
        #expect(loaded.configuration?.producers == expected)
    }

    @Test(
        "what cannot be meant is an error",
        arguments: [
            ("producers: {strict: yes please, users: {a: {}}}", "producers.strict", "true or false"),
            ("producers: {strict: true}", "producers.users", "is missing"),
            ("producers: {users: {}}", "producers.users", "is missing"),
            ("producers: {users: {a: {lanes: [parcel]}}}", "producers.users.a.lanes", "did you mean parcels?"),
            ("producers: {users: {a: {clients: []}}}", "producers.users.a.clients", "is empty"),
            ("producers: {users: {a: {clients: acme}}}", "producers.users.a.clients", "must be a list"),
            ("producers: {users: {a: {client: [acme]}}}", "producers.users.a.client", "did you mean clients?"),
            ("producers: {users: {a: 5}}", "producers.users.a", "must be a section"),
            ("producers: {user: {a: {}}}", "producers.user", "did you mean users?"),
        ]
    )
    func errors(_ text: String, _ path: String, _ words: String) throws {
        let loaded = try load(text)
        #expect(loaded.configuration == nil)
        let finding = try #require(loaded.findings.first { $0.path == path }, "\(loaded.findings)")
        #expect(finding.message.contains(words), "\(finding.message)")
    }

    @Test(
        "what is likely a slip is a warning",
        arguments: [
            ("producers: {users: {a: {push_types: [alrt]}}}", "producers.users.a.push_types", "did you mean alert?"),
            (
                "clients: {acme: {max_age: 1h}}\nproducers: {users: {a: {clients: [acmee]}}}",
                "producers.users.a.clients", "did you mean acme?"
            ),
        ]
    )
    func slips(_ text: String, _ path: String, _ words: String) throws {
        let loaded = try load(text)
        #expect(loaded.configuration != nil)
        let finding = try #require(loaded.findings.first { $0.path == path }, "\(loaded.findings)")
        #expect(finding.severity == .warning && finding.message.contains(words), "\(finding.message)")
    }

    @Test("a name that is near none is somebody else's, and one that stands elsewhere too is right")
    func noSlips() throws {
        let text = "clients: {acme: {max_age: 1h}, acmf: {}}\nproducers: {users: {a: {clients: [contoso, acmf]}}}"
        #expect(try load(text).findings == [])
    }
}
