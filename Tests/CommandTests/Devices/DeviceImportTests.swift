import Foundation
import Testing
import WaybillDeviceRegistry
import WaybillDeviceRegistryTestSupport
import WaybillMongo
import WaybillMongoTestSupport
import WaybillTestSupport

@testable import waybill

@Suite("Imports of devices", .enabled(if: TestDatabase.isAvailable, "WAYBILL_TEST_STORE is not set"))
struct DeviceImportTests {
    private static func line(_ token: String, _ time: String? = "2026-01-01T00:00:00Z", device: String? = nil) -> String
    {
        var line = #"{"app": "com.example.parcels", "environment": "production", "token": "\#(token)""#
        if let time { line += #", "registered_at": "\#(time)""# }
        if let device { line += #", "device": "\#(device)""# }
        return line + "}\n"
    }

    private static func run(
        _ store: RegistryStore,
        _ path: String,
        format: DeviceFormat = .ndjson,
        registeredAt: Int64? = nil,
        resumes: Bool = false,
        isDry: Bool = false,
        _ proceeds: (Int) -> Bool = { _ in true }
    ) throws -> (isDone: Bool, counts: DeviceImportCounts) {
        let client = try store.pool.pop()
        defer { store.pool.push(client) }
        let registrar = DeviceRegistrar(client: client, database: store.database)
        var run = try DeviceImport(
            path: path,
            format: format,
            registrar: isDry ? nil : registrar,
            registeredAt: registeredAt,
            resumes: resumes
        )
        let isDone = try run.run(proceeds)
        return (isDone, run.state.counts)
    }

    @Test("what can be taken is registered, and what cannot is named without its value")
    func mixed() async throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/devices.ndjson"
        let text =
            Self.line("aa", device: "phone") + "\n" + Self.line("xyz") + Self.line("bb", nil) + "nonsense\n"
            + Self.line("cc", "yesterday") + Self.line("aa", "2025-01-01T00:00:00Z")
            + Self.line("dd", "2026-02-01T00:00:00Z", device: "phone")
        // Some editors write a byte order mark.
        try Data([0xEF, 0xBB, 0xBF] + Array(text.utf8)).write(to: URL(fileURLWithPath: path))
        try await RegistryStore.withStore { store in
            let dry = try Self.run(store, path, isDry: true)
            var look = try DeviceImport(path: path, format: .ndjson, registrar: nil, registeredAt: nil, resumes: false)
            #expect(try look.run { _ in true })
            let faults = look.faults.map { "\($0.line) \($0.fault.field): \($0.fault.reason)" }
            let token = "is no token of apns: one has 2 to 400 hexadecimal digits, an even number of them"
            #expect(
                faults == [
                    "3 token: \(token)", "5 : is not JSON: unexpected character at byte 1",
                    "6 registered_at: is no time",
                ]
            )
            #expect((dry.counts.lines, dry.counts.taken, dry.counts.rejected) == (7, 4, 3))
            #expect(try store.devices().isEmpty)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["devices.ndjson"])

            let (isDone, counts) = try Self.run(store, path)
            #expect(isDone)
            #expect((counts.lines, counts.rejected, counts.registered, counts.older) == (7, 3, 3, 1))
            #expect(counts.retired == 1)
            let rejected = try String(contentsOfFile: path + ".rejects", encoding: .utf8)
            #expect(
                rejected == """
                    {"line":3,"field":"token","reason":"\(token)"}
                    {"line":5,"reason":"is not JSON: unexpected character at byte 1"}
                    {"line":6,"field":"registered_at","reason":"is no time"}

                    """
            )
            let devices = try store.devices()
            func device(_ token: String) -> BSONDocument? { devices.first { $0["token"]?.string == token } }
            // No time is invented.
            #expect(device("bb")?["registered_at"] == nil)
            #expect(device("aa")?["registered_at"]?.date == 1_767_225_600_000)
            #expect(device("aa")?["disabled_reason"]?.string == "replaced")

            let again = try Self.run(store, path)
            #expect((again.counts.registered, again.counts.again) == (0, 0))
            #expect(try store.devices().count == 3)
            #expect(!FileManager.default.fileExists(atPath: path + ".import-state"))
        }
    }

    @Test("it goes on after an interruption, and every line counts once")
    func resumed() async throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/devices.csv"
        var text = "app,environment,token,registered_at,tags\n"
        for number in 0..<3500 {
            let token = number % 500 == 7 ? "no token" : String(100_000 + number)
            text += "com.example.parcels,production,\(token),2026-01-01T00:00:00Z,a;b\n"
        }
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        try await RegistryStore.withStore { store in
            let first = try Self.run(store, path, format: .csv) { $0 < 2000 }
            #expect(!first.isDone)
            let before = try store.devices().count
            #expect(before > 0 && before < 3493)
            #expect(throws: CommandFailure.self) { try Self.run(store, path, format: .csv) }
            #expect(throws: CommandFailure.self) { try Self.run(store, path, format: .ndjson, resumes: true) }
            let second = try Self.run(store, path, format: .csv, resumes: true)
            #expect(second.isDone)
            #expect((second.counts.lines, second.counts.registered, second.counts.rejected) == (3500, 3493, 7))
            #expect(try store.devices().count == 3493)
            let rejected = try String(contentsOfFile: path + ".rejects", encoding: .utf8)
            #expect(rejected.split(separator: "\n").count == 7)
        }
    }

    @Test("a file that has changed is not gone on with")
    func changed() async throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/devices.ndjson"
        let lines = (0..<1500).map { Self.line(String(100_000 + $0)) }
        try Data(lines.joined().utf8).write(to: URL(fileURLWithPath: path))
        try await RegistryStore.withStore { store in
            #expect(try Self.run(store, path) { _ in false }.isDone == false)
            try Data(lines.reversed().joined().utf8).write(to: URL(fileURLWithPath: path))
            #expect(throws: CommandFailure.self) { try Self.run(store, path, resumes: true) }
        }
    }

    @Test("a time for those that do not say is the caller's word")
    func defaultTime() async throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/devices.ndjson"
        try Data((Self.line("aa", nil) + Self.line("bb")).utf8).write(to: URL(fileURLWithPath: path))
        try await RegistryStore.withStore { store in
            #expect(try Self.run(store, path, registeredAt: 77).counts.registered == 2)
            let dates = try store.devices().compactMap { $0["registered_at"]?.date }.sorted()
            #expect(dates == [77, 1_767_225_600_000])
        }
    }

    @Test("a column that no device has ends it before anything is written")
    func columns() async throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/devices.csv"
        try Data("app,secret\na,b\n".utf8).write(to: URL(fileURLWithPath: path))
        try await RegistryStore.withStore { store in
            #expect(throws: CommandFailure.self) { try Self.run(store, path, format: .csv) }
        }
    }
}
