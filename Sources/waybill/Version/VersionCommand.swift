import ArgumentParser
import WaybillAMQP
import WaybillCompression
import WaybillEncoding
import WaybillHTTP2
import WaybillMongo
import WaybillPassword
import WaybillTLS
import WaybillTransfer

/// `waybill version`: what exactly is running.
struct VersionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "version",
        abstract: "Show the version, and those of the libraries that are loaded.",
        discussion: """
            Examples:
              waybill version
              waybill version --json

            argon2 is the version of the algorithm: its library does not tell its own.
            """ + ExitStatus.help([])
    )

    @Flag(help: "Write one JSON object.")
    var json = false

    func run() {
        guard json else {
            Output.line("waybill \(ProductVersion.current) (Swift \(Self.swiftVersion), \(Self.architecture))")
            Output.line("with " + Self.libraries.map { "\($0.name) \($0.version)" }.joined(separator: ", "))
            return
        }
        var object = JSONObject()
        object.add("version", ProductVersion.current)
        object.add("swift", Self.swiftVersion)
        object.add("architecture", Self.architecture)
        for library in Self.libraries { object.add(library.name, library.version) }
        Output.json(object)
    }

    /// The C libraries that this process has loaded: they come with the system, and change without a new `waybill`.
    private static var libraries: [(name: String, version: String)] {
        [
            ("libmongoc", MongoLibrary.version), ("librabbitmq", AMQPLibrary.version),
            ("nghttp2", HTTP2Library.version), ("openssl", TLSLibrary.version), ("libcurl", TransferLibrary.version),
            ("zlib", CompressionLibrary.version), ("argon2", PasswordLibrary.version),
        ]
    }

    /// The language version that the compiler implements, as far as a program can ask for it.
    private static var swiftVersion: String {
        #if compiler(>=6.4)
        "6.4 or later"
        #elseif compiler(>=6.3)
        "6.3"
        #else
        "6.2"
        #endif
    }

    private static var architecture: String {
        #if arch(x86_64)
        "x86_64"
        #elseif arch(arm64)
        "arm64"
        #else
        "unknown architecture"
        #endif
    }
}
