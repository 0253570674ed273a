import Foundation
import Synchronization

/// One of the package's own programs, run as a process of its own.
final class Program: Sendable {
    private let process: Process
    private let output = Mutex(Data())
    private let errors = Mutex(Data())

    /// The exit status and what the program wrote.
    struct Result {
        let status: Int32
        let output: String
        let errors: String
    }

    /// Starts a program that `swift build` has put beside the tests.
    init(_ name: String, _ arguments: [String], input: String? = nil) throws {
        process = Process()
        process.executableURL = Self.folder.appendingPathComponent(name)
        process.arguments = arguments
        let outputPipe = Pipe()
        let errorPipe = Pipe()
        process.standardOutput = outputPipe
        process.standardError = errorPipe
        let inputPipe = Pipe()
        process.standardInput = input == nil ? FileHandle.nullDevice : inputPipe
        outputPipe.fileHandleForReading.readabilityHandler = { [output] handle in
            let data = handle.availableData
            output.withLock { $0.append(data) }
        }
        errorPipe.fileHandleForReading.readabilityHandler = { [errors] handle in
            let data = handle.availableData
            errors.withLock { $0.append(data) }
        }
        try process.run()
        if let input {
            inputPipe.fileHandleForWriting.write(Data(input.utf8))
            try inputPipe.fileHandleForWriting.close()
        }
    }

    /// Runs a program to its end.
    static func run(_ name: String, _ arguments: [String], input: String? = nil) throws -> Result {
        try Program(name, arguments, input: input).wait()
    }

    /// Waits for the end.
    func wait() -> Result {
        process.waitUntilExit()
        return Result(status: process.terminationStatus, output: text(output), errors: errorText)
    }

    var isRunning: Bool { process.isRunning }

    /// What the program has written to standard error so far.
    var errorText: String { text(errors) }

    /// Sends a signal.
    func signal(_ number: Int32) {
        guard process.isRunning else { return }
        kill(process.processIdentifier, number)
    }

    private func text(_ data: borrowing Mutex<Data>) -> String {
        data.withLock { String(decoding: $0, as: UTF8.self) }
    }

    /// The test bundle lies in the folder of the built programs.
    private static let folder: URL = {
        let bundle = CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? CommandLine.arguments[0]
        return URL(fileURLWithPath: bundle).resolvingSymlinksInPath().deletingLastPathComponent()
    }()
}
