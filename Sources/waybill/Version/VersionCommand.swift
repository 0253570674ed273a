import ArgumentParser
import WaybillEncoding

/// `waybill version`: what exactly is running.
struct VersionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "version",
        abstract: "Show the version.",
        discussion: """
            Examples:
              waybill version
              waybill version --json
            """
    )

    @Flag(help: "Write one JSON object.")
    var json = false

    func run() {
        guard json else {
            print("waybill \(ProductVersion.current) (Swift \(Self.swiftVersion), \(Self.architecture))")
            return
        }
        var object = JSONObject()
        object.add("version", ProductVersion.current)
        object.add("swift", Self.swiftVersion)
        object.add("architecture", Self.architecture)
        print(object.text)
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
