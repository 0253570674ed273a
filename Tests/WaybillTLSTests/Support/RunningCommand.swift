import Foundation
import Glibc

/// An `openssl` command that runs beside the test.
final class RunningCommand {
    private let process = Process()
    private let output = Pipe()
    private let input = Pipe()

    init(_ arguments: [String]) throws {
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["openssl"] + arguments
        // Kept open: the command ends with its input.
        process.standardInput = input
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
    }

    /// The first line of the output that fits; `nil` when the output ends before.
    func line(_ fits: (String) -> Bool) throws -> String? {
        var text = ""
        while let piece = try output.fileHandleForReading.read(upToCount: 1), !piece.isEmpty {
            let character = String(decoding: piece, as: UTF8.self)
            guard character == "\n" else {
                text += character
                continue
            }
            if fits(text) { return text }
            text = ""
        }
        return nil
    }

    func end() {
        // The command inherits the signals that the test's thread blocks; this one cannot be blocked.
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }
}

extension TestAuthority {
    /// Starts an `openssl` command that goes on running.
    func start(_ arguments: String...) throws -> RunningCommand {
        try RunningCommand(arguments)
    }
}
