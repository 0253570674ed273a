import Testing
import WaybillTestSupport

@testable import WaybillSettings

/// `webhooks`: whether endpoints are told anything, and which may be reached.
@Suite("The section webhooks")
struct WebhooksSectionTests {
    private func load(_ rest: String, environment: [String: String] = [:]) throws -> LoadedConfiguration {
        let folder = try TemporaryFolder()
        return ConfigurationLoader.load(
            path: try folder.write("waybill.yaml", "store:\n  url: mongodb://localhost/\n\(rest)\n"),
            environment: environment,
            role: .hooks
        )
    }

    @Test("the section alone switches them on, and mail may be absent", arguments: ["webhooks: {}", "webhooks:"])
    func alone(section: String) throws {
        let loaded = try load(section)
        #expect(loaded.findings == [])
        #expect(loaded.sections?.webhooks == WebhookSettings() && loaded.sections?.mail == nil)
    }

    @Test func allOfIt() throws {
        let networks = "allow_networks: [10.0.0.0/8, '::1'], allow_networks_of_services: [10.1.0.0/16]"
        let loaded = try load("webhooks: {allow_http: true, \(networks), ca_file: ca.pem}")
        let webhooks = try #require(loaded.sections?.webhooks)
        #expect(loaded.findings == [] && webhooks.allowsPlain && webhooks.caFile?.hasSuffix("/ca.pem") == true)
        #expect(
            webhooks.allowed.count == 2 && webhooks.allowed[0].contains("10.1.2.3")
                && webhooks.allowed[1].contains("::1")
        )
        #expect(webhooks.allowedOfServices.count == 1 && webhooks.allowedOfServices[0].contains("10.1.2.3"))
    }

    @Test func aVariableSwitchesThem() throws {
        #expect(try load("", environment: ["WAYBILL_WEBHOOKS_ENABLED": "true"]).sections?.webhooks != nil)
        let off = try load("webhooks: {enabled: false}\nmail: {from: a@b, folder: f}")
        #expect(off.findings == [] && off.sections != nil && off.sections?.webhooks == nil)
    }

    @Test("without them, mail must be there", arguments: ["", "webhooks: {enabled: false}"])
    func neither(rest: String) throws {
        #expect(try load(rest).findings.map(\.path).contains("mail.from"))
    }

    @Test(
        "what is no setting",
        arguments: [
            ("allow_networks: [10.0.0.0/33]", "webhooks.allow_networks[0]"),
            ("allow_networks: [localhost]", "webhooks.allow_networks[0]"),
            ("allow_networks_of_services: [x]", "webhooks.allow_networks_of_services[0]"),
            ("allow_http: maybe", "webhooks.allow_http"), ("allow_private: true", "webhooks.allow_private"),
        ]
    )
    func mistakes(text: String, path: String) throws {
        #expect(try load("webhooks: {\(text)}").findings.map(\.path) == [path])
    }
}
