import Foundation
import WaybillTestSupport

/// One of the package's own programs, run as a process of its own.
///
/// What it writes goes to files: a pipe's end could leak into another child that is started at the same moment, and then
/// nobody would ever see the end of it.
final class Program: @unchecked Sendable {
    // Foundation's Process may be asked and signalled from any thread once it runs; nothing else here changes.
    private let process = Process()
    private let output: URL
    private let errors: URL

    /// The exit status and what the program wrote.
    struct Result {
        let status: Int32
        let output: String
        let errors: String
    }

    /// Starts a program that `swift build` has put beside the tests.
    ///
    /// - Parameters:
    ///   - name: which one.
    ///   - arguments: of the command line.
    ///   - input: what it reads from standard input.
    ///   - standardOutput: where it writes to in place of a file; then ``Result/output`` is empty.
    /// - Throws: when it cannot be started.
    init(_ name: String, _ arguments: [String], input: String? = nil, standardOutput: FileHandle? = nil) throws {
        let base = FileManager.default.temporaryDirectory.appendingPathComponent("waybill-\(UUID().uuidString)")
        output = base.appendingPathExtension("out")
        errors = base.appendingPathExtension("err")
        process.executableURL = BuiltPrograms.folder.appendingPathComponent(name)
        process.arguments = arguments
        process.standardOutput = try standardOutput ?? Self.create(output)
        process.standardError = try Self.create(errors)
        if let input {
            let file = base.appendingPathExtension("in")
            try Data(input.utf8).write(to: file)
            process.standardInput = try FileHandle(forReadingFrom: file)
            try FileManager.default.removeItem(at: file)
        } else {
            process.standardInput = FileHandle.nullDevice
        }
        try process.run()
    }

    deinit {
        try? FileManager.default.removeItem(at: output)
        try? FileManager.default.removeItem(at: errors)
    }

    /// Runs a program to its end.
    static func run(
        _ name: String,
        _ arguments: [String],
        input: String? = nil,
        standardOutput: FileHandle? = nil
    ) throws -> Result {
        try Program(name, arguments, input: input, standardOutput: standardOutput).wait()
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

    private func text(_ file: URL) -> String {
        (try? Data(contentsOf: file)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    private static func create(_ file: URL) throws -> FileHandle {
        try Data().write(to: file)
        return try FileHandle(forWritingTo: file)
    }
}
