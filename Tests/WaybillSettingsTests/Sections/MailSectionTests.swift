import Testing
import WaybillOutbox
import WaybillTestSupport

@testable import WaybillSettings

/// `mail`: whom it comes from and how it goes out.
struct MailSectionTests {
    private func load(_ section: String, environment: [String: String] = [:]) throws -> LoadedConfiguration {
        let folder = try TemporaryFolder()
        _ = try folder.write("secret", "hunter2\n")
        let text = "store:\n  url: mongodb://localhost/\nmail: {\(section)}\n"
        return ConfigurationLoader.load(
            path: try folder.write("waybill.yaml", text),
            environment: environment,
            role: .hooks
        )
    }

    @Test func aServerWithALogin() throws {
        let loaded = try load(
            "from: Waybill <a@b>, smtp: {url: 'smtp://mail.example.com:587', user: u, password_file: secret, ca_file: ca.pem}"
        )
        #expect(loaded.findings == [])
        let mail = try #require(loaded.sections?.mail)
        #expect(mail.sender.name == "Waybill")
        guard case .server(let server) = mail.way else {
            Issue.record("not a server")
            return
        }
        #expect(server.url == "smtp://mail.example.com:587")
        #expect(server.user == "u")
        #expect(server.password?.value == "hunter2")
        #expect(server.caFile?.hasSuffix("/ca.pem") == true)
        #expect(!"\(mail)".contains("hunter2"))
    }

    @Test func theEnvironmentIsEnough() throws {
        let environment = [
            "WAYBILL_MAIL_FROM": "a@b", "WAYBILL_MAIL_SMTP_URL": "smtps://localhost:465",
            "WAYBILL_MAIL_SMTP_USER": "u", "WAYBILL_MAIL_SMTP_PASSWORD": "hunter2",
        ]
        let loaded = try load("", environment: environment)
        #expect(loaded.findings == [])
        guard case .server(let server)? = loaded.sections?.mail?.way else {
            Issue.record("not a server")
            return
        }
        #expect(server.user == "u")
    }

    @Test(arguments: [
        ("", "mail.from"), ("from: a@b", "mail.smtp"), ("from: 'a b@c', folder: f", "mail.from"),
        ("from: 'a@b', folder: f, smtp: {url: 'smtp://c'}", "mail.folder"),
        ("from: a@b, smtp: {}", "mail.smtp.url"), ("from: a@b, smtp: {url: 'http://c'}", "mail.smtp.url"),
        ("from: a@b, smtp: {url: 'smtp://u:p@c'}", "mail.smtp.url"),
        ("from: a@b, smtp: {url: 'smtp://c,d'}", "mail.smtp.url"),
        ("from: a@b, smtp: {url: 'smtp://c?d'}", "mail.smtp.url"),
        ("from: a@b, smtp: {url: 'smtp://c', user: u}", "mail.smtp.password_file"),
        ("from: a@b, smtp: {url: 'smtp://c', password_file: secret}", "mail.smtp.user"),
        ("from: a@b, smtp: {url: 'smtp://c', tls: false}", "mail.smtp.tls"),
    ])
    func unsound(section: String, path: String) throws {
        let findings = try load(section).findings
        #expect(findings.map(\.path) == [path])
        #expect(findings.allSatisfy { $0.severity == .error && $0.category == .configuration })
    }
}
