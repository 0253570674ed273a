import Foundation

/// The `curl` program as a client.
enum Curl {
    private static let path = "/usr/bin/curl"

    /// Whether there is one.
    static let isInstalled = FileManager.default.isExecutableFile(atPath: path)

    /// Runs it, and returns the HTTP status as it prints it: `000` when there was no response.
    static func status(_ arguments: [String]) throws -> String {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments =
            ["--silent", "--max-time", "10", "--noproxy", "*", "--output", "/dev/null", "--write-out", "%{http_code}"]
            + arguments
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self)
    }
}
