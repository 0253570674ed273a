import Foundation
import Testing
import WaybillCore
import WaybillProviders
import WaybillTLS
import WaybillTestSupport

@testable import WaybillSettings

@Suite("Checking keys")
struct KeyCheckTests {
    /// The findings about the minimal configuration with a key file of some content.
    private func findings(_ key: String?, mode: Int = 0o600) throws -> (folder: TemporaryFolder, findings: [Finding]) {
        let folder = try TemporaryFolder()
        let file = try folder.write("waybill.yaml", ConfigurationText.minimal)
        if let key { _ = try folder.write("key.p8", key, mode: mode) }
        let loaded = ConfigurationLoader.load(path: file, environment: [:])
        let configuration = try #require(loaded.sections)
        return (folder, KeyChecks.run(configuration, origins: loaded.origins))
    }

    @Test("a P-256 key that only its owner can read is fine, and the finding has its line")
    func good() throws {
        let pem = try String(decoding: ES256PrivateKey.generate().pem, as: UTF8.self)
        let (folder, findings) = try findings(pem)
        #expect(
            findings == [
                Finding(
                    .ok,
                    path: "lanes[0].key_file",
                    origin: .file(line: 12),
                    message: "\(folder.path)/key.p8 is a P-256 key, id ABC123DEFG"
                )
            ]
        )
    }

    @Test("a key that others can use is a matter of permission", arguments: [0o640, 0o604, 0o620, 0o601])
    func mode(mode: Int) throws {
        let pem = try String(decoding: ES256PrivateKey.generate().pem, as: UTF8.self)
        let (folder, findings) = try findings(pem, mode: mode)
        #expect(findings.map(\.severity) == [.error])
        #expect(findings.map(\.category) == [.permission])
        #expect(findings.first?.message.hasSuffix("run: chmod 600 \(folder.path)/key.p8") == true)
    }

    @Test("what is no key, is a matter of configuration", arguments: ["", "no key"])
    func noKey(text: String) throws {
        let (_, findings) = try findings(text)
        #expect(findings.map(\.severity) == [.error])
        #expect(findings.map(\.category) == [.configuration])
        #expect(findings.first?.message.contains("is not a P-256 private key in PEM form") == true)
    }

    @Test("a key on another curve is refused, too")
    func otherCurve() throws {
        try #require(Self.p384.contains("PRIVATE KEY"))
        let (_, findings) = try findings(Self.p384)
        #expect(findings.map(\.category) == [.configuration])
        #expect(findings.first?.message.contains("is not a P-256 private key in PEM form") == true)
    }

    @Test("a key that is not there")
    func missing() throws {
        let (folder, findings) = try findings(nil)
        #expect(
            findings.map(\.description) == ["error lanes[0].key_file (line 12): \(folder.path)/key.p8 does not exist"]
        )
    }

    @Test("something else than a file is refused and not waited for")
    func directory() throws {
        let folder = try TemporaryFolder()
        #expect(
            OwnerOnlyFile.read(folder.path, limit: 10)
                == .failure(.init(category: .configuration, reason: "\(folder.path) is not a regular file"))
        )
        let large = try folder.write("large", "01234567890")
        #expect(
            OwnerOnlyFile.read(large, limit: 10)
                == .failure(.init(category: .configuration, reason: "\(large) is larger than 10 bytes"))
        )
    }

    @Test("a certificate without its files, and a trust file that is none")
    func certificate() throws {
        let folder = try TemporaryFolder()
        let trust = try folder.write("trust.pem", "no certificate")
        let lane = LaneSettings(
            name: "a",
            trustFile: trust,
            provider: .apns(
                APNSLaneSettings(
                    rules: APNSLane(environment: .sandbox, bundleID: "a.b"),
                    credentials: .certificate(
                        TLSIdentity(certificateFile: "\(folder.path)/a.pem", privateKeyFile: "\(folder.path)/a.key")
                    )
                )
            )
        )
        var configuration = ConfigurationSections()
        configuration.lanes = [lane]
        let findings = KeyChecks.run(configuration)
        #expect(findings.map(\.path) == ["lanes[0].certificate_file", "lanes[0].trust_file"])
        #expect(findings.allSatisfy { $0.severity == .error && $0.category == .configuration })
    }

    @Test(
        "a certificate's age: good, near its end, over",
        arguments: [
            (30 * 86_400, Finding.Severity.ok, "good until 2023-12-14"),
            (30 * 86_400 - 1, .warning, "expires on 2023-12-14"),
            (0, .warning, "expires on 2023-11-14"), (-1, .error, "expired on 2023-11-14"),
        ]
    )
    func age(left: Int64, severity: Finding.Severity, words: String) {
        let now: Int64 = 1_700_000_000
        let info = TLSCertificateInfo(commonName: nil, userID: nil, notAfter: now + left)
        let finding = CertificateAge.finding(info, name: "a.pem", path: "lanes[0].certificate_file", now: now)
        #expect(finding.severity == severity)
        #expect(finding.message.contains(words), "\(finding.message)")
    }

    /// A key on another curve, made on the spot by the `openssl` command.
    private static let p384: String = {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-384"]
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return "" }
        let key = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: key, as: UTF8.self)
    }()
}
