import Foundation

/// A program that is no part of the package, such as an interpreter that runs a sample of the documentation.
package enum ForeignProgram {
    /// Whether a program of this name is on the machine.
    package static func isThere(_ name: String) -> Bool {
        (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
            .contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(name)") }
    }

    /// The languages whose samples must not be left out, by their programs: scripts/samples.sh says which it has found or installed.
    package static var expected: Set<String> {
        let names = ProcessInfo.processInfo.environment["WAYBILL_SAMPLES"] ?? "sh python3 swift"
        return Set(names.split(separator: " ").map(String.init))
    }

    /// Runs a program to its end.
    ///
    /// - Parameters:
    ///   - arguments: its name, and what it is given.
    ///   - environment: beside what this process has.
    /// - Returns: its status, and what it has written to its output.
    /// - Throws: when it cannot be started.
    package static func run(
        _ arguments: [String],
        environment: [String: String] = [:]
    ) throws -> (status: Int32, text: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: data, as: UTF8.self))
    }
}
