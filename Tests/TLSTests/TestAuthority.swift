import Foundation

/// A throw-away certificate authority, made with the `openssl` command.
final class TestAuthority {
    let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("waybill-tls-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try openssl(
            "req",
            "-x509",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:prime256v1",
            "-nodes",
            "-days",
            "2",
            "-subj",
            "/CN=Test Authority",
            "-keyout",
            path("ca.key"),
            "-out",
            path("ca.pem")
        )
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

    /// Issues a certificate for subject alternative names such as `DNS:localhost`; 0 days make one that has expired.
    ///
    /// The files are `<name>.pem` and `<name>.key`.
    func issue(_ name: String, names: String, days: Int = 2) throws {
        try openssl(
            "req",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:prime256v1",
            "-nodes",
            "-subj",
            "/CN=\(name)",
            "-keyout",
            path("\(name).key"),
            "-out",
            path("\(name).csr")
        )
        try "subjectAltName=\(names)\n".write(toFile: path("\(name).ext"), atomically: true, encoding: .utf8)
        try openssl(
            "x509",
            "-req",
            "-in",
            path("\(name).csr"),
            "-CA",
            path("ca.pem"),
            "-CAkey",
            path("ca.key"),
            "-CAcreateserial",
            "-days",
            String(days),
            "-extfile",
            path("\(name).ext"),
            "-out",
            path("\(name).pem")
        )
    }

    /// Makes a private key on a curve, encrypted where there is a password.
    func makeKey(_ name: String, curve: String, password: String? = nil) throws {
        let encryption = password.map { ["-aes-128-cbc", "-pass", "pass:\($0)"] } ?? []
        let options = ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:\(curve)", "-out", path(name)]
        try openssl(["genpkey"] + encryption + options)
    }

    private func openssl(_ arguments: String...) throws {
        try openssl(arguments)
    }

    private func openssl(_ arguments: [String]) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["openssl"] + arguments
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw CocoaError(.executableLoad) }
    }
}
