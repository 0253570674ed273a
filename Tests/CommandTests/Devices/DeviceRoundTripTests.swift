import Foundation
import Testing
import WaybillDeviceRegistry
import WaybillDeviceRegistryTestSupport
import WaybillMongo
import WaybillMongoTestSupport
import WaybillTestSupport

@testable import waybill

/// What an export has written, an import makes a registry of again.
@Suite(.enabled(if: TestDatabase.isAvailable, "WAYBILL_TEST_STORE is not set"))
struct DeviceRoundTripTests {
    private static let day: Int64 = 86_400_000
    private static let start: Int64 = 1_767_225_600_123

    private static func device(_ token: String, _ more: (BSONWriter) -> Void) -> BSONWriter {
        let writer = BSONWriter(capacity: 256)
        writer.append("provider", string: "apns")
        writer.append("app", string: "com.example.parcels")
        writer.append("environment", string: "production")
        writer.append("token", string: token)
        writer.append("kind", string: "token")
        writer.append("registered_at", date: start)
        more(writer)
        return writer
    }

    private static func history(_ writer: BSONWriter, _ events: [(Int64, String, String)]) {
        writer.append(
            "history",
            array: { array in
                for (at, event, reason) in events {
                    array.append { document in
                        document.append("at", date: at)
                        document.append("event", string: event)
                        document.append("reason", string: reason)
                    }
                }
            }
        )
    }

    private static var registry: [BSONWriter] {
        let fcm = BSONWriter(capacity: 256)
        fcm.append("provider", string: "fcm")
        fcm.append("app", string: "com.example.parcels")
        fcm.append("token", string: "c:APA91-x_Y")
        fcm.append("kind", string: "token")
        fcm.append("enabled", bool: true)
        return [
            fcm,
            device("aa01") { $0.append("enabled", bool: true) },
            device("aa02") { device in
                device.append("enabled", bool: true)
                device.append("seen_at", date: start + day)
                for (field, text) in [
                    ("device", "phone, \"two\""), ("user", "=1+1"), ("locale", "de-DE"), ("time_zone", "Europe/Berlin"),
                    ("app_version", "3.1 \u{202e}[U+202E]"), ("client", "'=x"),
                ] { device.append(name: field, string: text) }
                device.append(
                    "tags",
                    array: { array in for tag in ["+b", "a;b", "c\\"] { array.append(string: tag) } }
                )
                history(
                    device,
                    [(start - day, "disabled", "Unregistered"), (start, "registered_again", "Unregistered")]
                )
            },
            // Its device has another token since.
            device("aa03") { device in
                device.append("enabled", bool: false)
                device.append("device", string: "phone, \"two\"")
                device.append("disabled_at", date: start + 2 * day)
                device.append("disabled_reason", string: "replaced")
                history(device, [(start + 2 * day, "replaced_by", "replaced")])
            },
            device("aa04") { device in
                device.append("enabled", bool: false)
                device.append("disabled_at", date: start + 3 * day)
                device.append("disabled_reason", string: "Unregistered")
                device.append("invalid_since", date: start + 2 * day)
            },
            device("aa05") { device in
                device.append("enabled", bool: true)
                device.append("suspected_at", date: start + day)
                device.append("suspected_reason", string: "BadDeviceToken")
            },
        ]
    }

    private static func contents(_ store: RegistryStore, _ format: ExportFormat) throws -> Set<[String: BSONValue]> {
        Set(
            try store.devices().map { document in
                var fields: [String: BSONValue] = [:]
                for (name, value) in document.fields where name != "_id" { fields[name] = value }
                if format == .csv { fields["history"] = nil }
                return fields
            }
        )
    }

    private static func load(_ store: RegistryStore, _ path: String, _ format: ExportFormat) throws
        -> DeviceImportCounts
    {
        let client = try store.pool.pop()
        defer { store.pool.push(client) }
        var run = try DeviceImport(
            path: path,
            format: format == .csv ? .csv : .ndjson,
            registrar: DeviceRegistrar(client: client, database: store.database),
            registeredAt: nil,
            resumes: false
        )
        #expect(try run.run { _ in true })
        return run.state.counts
    }

    @Test(arguments: ExportFormat.allCases) func anExportIsImportedToTheSameRegistry(format: ExportFormat) async throws
    {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/devices"
        try await RegistryStore.withStore { first in
            try first.insert(Self.registry)
            let before = try Self.contents(first, format)
            #expect(before.count == 6)
            let client = try first.pool.pop()
            let reader = DeviceReader(client: client, database: first.database)
            var export = try ExportRun(reader: reader, query: DeviceQuery(), format: format, path: path, resumes: false)
            #expect(try export.run { _ in true }?.records == 6)
            first.pool.push(client)
            try await RegistryStore.withStore { second in
                let counts = try Self.load(second, path, format)
                #expect((counts.registered, counts.rejected, counts.retired) == (6, 0, 0))
                #expect(try Self.contents(second, format) == before)
            }
            // Where all is known already, nothing changes.
            let counts = try Self.load(first, path, format)
            #expect((counts.unchanged, counts.rejected) == (6, 0))
            #expect(try Self.contents(first, format) == before)
        }
    }

    /// What has happened since an export is not undone by it.
    @Test func aRegistryThatKnowsMoreKeepsIt() async throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/devices.ndjson"
        let line =
            #"{"app": "com.example.parcels", "environment": "production", "token": "aa04", "registered_at": "2026-01-01T00:00:00Z", "#
            + #""enabled": false, "disabled_at": "2026-01-04T00:00:00Z", "disabled_reason": "Unregistered"}"#
        try Data((line + "\n").utf8).write(to: URL(fileURLWithPath: path))
        try await RegistryStore.withStore { store in
            try store.insert([Self.device("aa04") { $0.append("enabled", bool: true) }])
            let before = try Self.contents(store, .ndjson)
            let counts = try Self.load(store, path, .ndjson)
            #expect((counts.older, counts.updated, counts.registered) == (1, 0, 0))
            #expect(try Self.contents(store, .ndjson) == before)
        }
    }
}
