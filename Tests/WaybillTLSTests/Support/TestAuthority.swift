import Foundation
import WaybillTLS

/// A throw-away certificate authority, made with the `openssl` command.
final class TestAuthority {
    let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("waybill-tls-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try makeRoot("ca", subject: "/CN=Test Authority")
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

    func content(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: folder.appendingPathComponent(name)))
    }

    func write(_ content: [UInt8], to name: String) throws {
        try Data(content).write(to: folder.appendingPathComponent(name))
    }

    /// Makes a certificate that signs itself: `<name>.pem` and `<name>.key`.
    func makeRoot(_ name: String, subject: String, extensions: [String] = []) throws {
        var arguments = ["req", "-x509"] + Self.newKey + ["-days", "2", "-subj", subject]
        for text in extensions { arguments += ["-addext", text] }
        try openssl(arguments + ["-keyout", path("\(name).key"), "-out", path("\(name).pem")])
    }

    /// Issues a certificate for subject alternative names such as `DNS:localhost`; 0 days make one that has expired.
    ///
    /// The files are `<name>.pem` and `<name>.key`.
    func issue(
        _ name: String,
        names: String,
        days: Int = 2,
        subject: String? = nil,
        by issuer: String = "ca"
    ) throws {
        try sign(name, "subjectAltName=\(names)", days: days, subject: subject ?? "/CN=\(name)", by: issuer)
    }

    /// Issues a certificate whose validity ends a number of seconds from now.
    func issue(_ name: String, names: String, secondsLeft: Int) throws {
        try requestCertificate(name, subject: "/CN=\(name)")
        let configuration = """
            [ca]
            default_ca = authority
            [authority]
            database = \(path("\(name).index"))
            serial = \(path("\(name).serial"))
            new_certs_dir = \(path(""))
            default_md = sha256
            policy = policy
            x509_extensions = extensions
            [policy]
            commonName = supplied
            [extensions]
            subjectAltName = \(names)
            """
        try write(Array(configuration.utf8), to: "\(name).cnf")
        try write([], to: "\(name).index")
        try write(Array("01\n".utf8), to: "\(name).serial")
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.dateFormat = "yyyyMMddHHmmss'Z'"
        format.timeZone = TimeZone(identifier: "UTC")
        let end = format.string(from: Date(timeIntervalSinceNow: Double(secondsLeft)))
        try openssl([
            "ca", "-batch", "-notext", "-config", path("\(name).cnf"), "-in", path("\(name).csr"),
            "-cert", path("ca.pem"), "-keyfile", path("ca.key"), "-enddate", end, "-out", path("\(name).pem"),
        ])
    }

    /// Issues a certificate that may issue others.
    func issueAuthority(_ name: String, by issuer: String = "ca") throws {
        try sign(name, "basicConstraints=critical,CA:TRUE", days: 2, subject: "/CN=\(name)", by: issuer)
    }

    private func sign(_ name: String, _ extensions: String, days: Int, subject: String, by issuer: String) throws {
        try requestCertificate(name, subject: subject)
        try write(Array("\(extensions)\n".utf8), to: "\(name).ext")
        try openssl([
            "x509", "-req", "-in", path("\(name).csr"), "-CA", path("\(issuer).pem"), "-CAkey", path("\(issuer).key"),
            "-CAcreateserial", "-days", String(days), "-extfile", path("\(name).ext"), "-out", path("\(name).pem"),
        ])
    }

    private func requestCertificate(_ name: String, subject: String) throws {
        try openssl(
            ["req"] + Self.newKey + ["-subj", subject, "-keyout", path("\(name).key"), "-out", path("\(name).csr")]
        )
    }

    /// Makes a private key on a curve, encrypted where there is a password.
    func makeKey(_ name: String, curve: String, password: String? = nil) throws {
        let encryption = password.map { ["-aes-128-cbc", "-pass", "pass:\($0)"] } ?? []
        try openssl(
            ["genpkey"] + encryption + [
                "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:\(curve)", "-out", path(name),
            ]
        )
    }

    /// Packs a certificate with its key, and the certificates of other files, into `<name>.p12`.
    func pack(_ name: String, passphrase: String, with others: [String] = [], options: [String] = []) throws {
        var arguments = ["pkcs12", "-export", "-in", path("\(name).pem"), "-inkey", path("\(name).key")]
        if !others.isEmpty {
            try write(try others.flatMap { try content("\($0).pem") }, to: "\(name).others")
            arguments += ["-certfile", path("\(name).others")]
        }
        try openssl(arguments + options + ["-passout", "pass:\(passphrase)", "-out", path("\(name).p12")])
    }

    func identity(_ name: String) -> TLSIdentity {
        TLSIdentity(certificateFile: path("\(name).pem"), privateKeyFile: path("\(name).key"))
    }

    /// The pin of a certificate's key, as the command works it out.
    func pin(_ name: String) throws -> TLSPin? {
        let key = try openssl(["x509", "-in", path("\(name).pem"), "-noout", "-pubkey"])
        let encoded = try openssl(["pkey", "-pubin", "-outform", "DER"], input: key)
        let digest = try openssl(["dgst", "-sha256", "-binary"], input: encoded)
        return TLSPin(base64: Data(digest).base64EncodedString())
    }

    /// Runs an `openssl` command to its end.
    ///
    /// - Returns: what it has written.
    @discardableResult
    func openssl(_ arguments: [String], input: [UInt8] = []) throws -> [UInt8] {
        try write(input, to: "input")
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["openssl"] + arguments
        process.standardInput = try FileHandle(forReadingFrom: folder.appendingPathComponent("input"))
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let content = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw CocoaError(.executableLoad) }
        return Array(content)
    }

    private static let newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
}
