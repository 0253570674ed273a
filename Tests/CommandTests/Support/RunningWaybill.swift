import Foundation
import WaybillTestSupport

/// The built program, run as an operator runs it.
///
/// What it writes goes to files: a pipe's end could leak into another child that is started at the same moment, and then
/// nobody would ever see the end of it.
enum RunningWaybill {
    /// The exit status and what the program wrote.
    struct Result {
        let status: Int32
        let output: String
        let errors: String
        var everything: String { output + errors }
    }

    /// Runs a command to its end, without the settings of the environment.
    ///
    /// A command that does not end by itself is ended after a minute, with status 124. What it writes can go to another file,
    /// such as `/dev/full`.
    static func run(
        _ arguments: [String],
        input: String = "",
        program: String = "waybill",
        withoutProc: Bool = false,
        into file: String? = nil
    ) throws -> Result {
        let folder = try TemporaryFolder()
        let output = try folder.write("out", "")
        let errors = try folder.write("err", "")
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        // A namespace of its own: nobody else loses /proc.
        let hidden = withoutProc ? ["unshare", "--mount", "sh", "-c", #"umount -l /proc && exec "$0" "$@""#] : []
        process.arguments =
            ["timeout", "60"] + hidden + [BuiltPrograms.path(program)] + arguments
        process.environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("WAYBILL_") }
        process.standardInput = FileHandle(forReadingAtPath: try folder.write("in", input))
        process.standardOutput = FileHandle(forWritingAtPath: file ?? output)
        process.standardError = FileHandle(forWritingAtPath: errors)
        try process.run()
        process.waitUntilExit()
        return Result(
            status: process.terminationStatus,
            output: try String(contentsOfFile: output, encoding: .utf8),
            errors: try String(contentsOfFile: errors, encoding: .utf8)
        )
    }

    /// Whether a program can be run in a namespace of its own without /proc.
    static var mayUnmount: Bool {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["unshare", "--mount", "umount", "-l", "/proc"]
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }
}
