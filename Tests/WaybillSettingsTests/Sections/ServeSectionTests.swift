import Testing
import WaybillTestSupport

@testable import WaybillSettings

/// `serve`: no key crosses a network in clear.
struct ServeSectionTests {
    private func load(_ section: String) throws -> LoadedConfiguration {
        let folder = try TemporaryFolder()
        let text = "broker:\n  url: amqp://localhost/\nstore:\n  url: mongodb://localhost/\nserve: {\(section)}\n"
        return ConfigurationLoader.load(
            path: try folder.write("waybill.yaml", text),
            environment: [:],
            role: .serve
        )
    }

    @Test(arguments: [
        "listen: 127.0.0.1:8080", "listen: 127.9.9.9:80", "listen: 'localhost:8080'", "listen: '[::1]:8080'",
        "listen: 0.0.0.0:8080, behind_proxy: [10.0.0.1]",
        "listen: 'host:443', certificate_file: a, private_key_file: b",
        "listen: 0.0.0.0:443, certificate_file: a, private_key_file: b, behind_proxy: [10.0.0.0/8, '::1']",
    ])
    func sound(section: String) throws {
        #expect(try load(section).findings == [])
    }

    @Test(arguments: [
        ("listen: 0.0.0.0:8080", "serve.listen"), ("listen: '[::]:8080'", "serve.listen"),
        ("listen: 'example.com:80'", "serve.listen"), ("listen: 10.0.0.1:80", "serve.listen"),
        ("listen: nowhere", "serve.listen"),
        ("listen: '127.0.0.1.example.com:80'", "serve.listen"), ("behind_proxy: [10.0.0.1]", "serve.listen"),
        ("listen: 127.0.0.1:80, certificate_file: a", "serve.private_key_file"),
        ("listen: 127.0.0.1:80, private_key_file: a", "serve.certificate_file"),
        ("listen: 127.0.0.1:80, behind_proxy: [proxy]", "serve.behind_proxy[0]"),
        ("listen: 127.0.0.1:80, behind_proxy: [10.0.0.0/40]", "serve.behind_proxy[0]"),
    ])
    func unsound(section: String, path: String) throws {
        let findings = try load(section).findings
        #expect(findings.map(\.path) == [path])
        #expect(findings.allSatisfy { $0.severity == .error && $0.category == .configuration })
    }

    @Test(
        arguments: [
            ("", ServeSettings.Page(libraries: "/usr/share/javascript")),
            (", page: true, assets: /opt/js", .init(libraries: "/opt/js")),
            (", page: false", nil), (", page: false, assets: /opt/js", nil),
        ] as [(String, ServeSettings.Page?)]
    )
    func thePageIsThereUnlessItIsLeftOut(section: String, page: ServeSettings.Page?) throws {
        let loaded = try load("listen: 127.0.0.1:8080\(section)")
        #expect(loaded.findings == [])
        #expect(try #require(loaded.sections?.serve).page == page)
    }

    @Test func noOtherCommandNeedsIt() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("waybill.yaml", "store:\n  url: mongodb://localhost/\n")
        #expect(ConfigurationLoader.load(path: file, environment: [:], role: .logs).findings == [])
    }
}
