import Foundation

/// The private servers that `scripts/test.sh` starts and names in the environment.
enum TestServices {
    static let broker = ProcessInfo.processInfo.environment["WAYBILL_TEST_BROKER"]
    static let store = ProcessInfo.processInfo.environment["WAYBILL_TEST_STORE"]

    /// Whether a whole flow can run. `scripts/test.sh` always says yes.
    static var areAvailable: Bool { broker != nil && store != nil }

    /// Whether the tests may stop and start the servers.
    static var areControllable: Bool {
        areAvailable && ProcessInfo.processInfo.environment["WAYBILL_TEST_SERVICES"] != nil
    }

    /// Runs a command of `scripts/services.sh`, for example `stop-store`.
    static func control(_ command: String) throws {
        let environment = ProcessInfo.processInfo.environment
        guard let script = environment["WAYBILL_TEST_SERVICES"], let folder = environment["WAYBILL_TEST_SERVICES_DIR"]
        else { throw RigError("WAYBILL_TEST_SERVICES is not set") }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/bash")
        process.arguments = [script, command, folder]
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw RigError("services.sh \(command) ended with \(process.terminationStatus)")
        }
    }
}

/// Something that the rig itself could not do.
struct RigError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
