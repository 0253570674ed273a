import Foundation
import Testing
import WaybillTestSupport

/// A service as the service manager starts it, reloads it and ends it.
@Suite("What a service tells its manager")
struct ServiceManagerTests {
    private struct Unheard: Error {
        let beginning: String
    }

    @Test("of a reload that it refuses, and of its end, however soon that comes", arguments: ["dispatch", "serve"])
    func reloadAndEnd(command: String) throws {
        let manager = try NotifySocket()
        let installation = try Installation()
        let process = Process()
        process.executableURL = URL(fileURLWithPath: BuiltPrograms.path("waybill"))
        let port = try SilentServer.unusedPort()
        process.arguments =
            [command, "--config", installation.configuration] + ["--set", "serve.listen=127.0.0.1:\(port)"]
        process.environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("WAYBILL_") }
            .merging(["NOTIFY_SOCKET": manager.path]) { $1 }
        process.standardError = FileHandle.nullDevice
        try process.run()
        defer { if process.isRunning { process.terminate() } }
        var told: [String] = []
        /// Waits for a message, and steps over those before it.
        func hears(_ beginning: String) throws -> String {
            for _ in 0..<600 {
                told += manager.received()
                if let place = told.firstIndex(where: { $0.hasPrefix(beginning) }) {
                    defer { told.removeFirst(place + 1) }
                    return told[place]
                }
                try #require(process.isRunning, "it has ended before it said \(beginning)")
                usleep(100_000)
            }
            throw Unheard(beginning: beginning)
        }
        // It runs, and waits for what it needs.
        _ = try hears("READY=1")
        _ = try installation.folder.write("waybill.yaml", "mistake: 1\n")
        kill(process.processIdentifier, SIGHUP)
        #expect(try hears("RELOADING=1").hasPrefix("RELOADING=1\nMONOTONIC_USEC="))
        _ = try hears("READY=1\nSTATUS=")
        kill(process.processIdentifier, SIGTERM)
        _ = try hears("STOPPING=1")
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
    }
}
