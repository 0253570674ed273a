import Foundation
import Testing
import WaybillDeviceRegistryTestSupport
import WaybillEncoding
import WaybillMongo
import WaybillMongoTestSupport
import WaybillTestSupport

@testable import WaybillDeviceRegistry

/// `schemas/device.schema.json` against what reads and writes the registry.
struct DeviceSchemaTests {
    static let valid = (try? SchemaExample.all(of: "device", valid: true)) ?? []
    static let invalid = (try? SchemaExample.all(of: "device", valid: false)) ?? []

    /// Examples that are wrong in what no registration says.
    static let notOfForms: Set = [
        "no-enabled", "disabled-since-nobody-knows-when", "enabled-and-disabled", "unknown-event",
        // A form makes of these what the registry holds.
        "capitals-at-apns", "tag-twice",
    ]

    static func object(_ example: SchemaExample) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(example.body)) as? [String: Any])
    }

    static func form(_ object: [String: Any]) -> DeviceForm {
        var form = DeviceForm()
        for field in DeviceForm.fields { form.texts[field] = object[field] as? String }
        form.tags = object["tags"] as? [String]
        return form
    }

    /// The year 2100: no example is registered later.
    private static let century: Int64 = 4_102_444_800_000

    static func milliseconds(_ text: String) -> Int64? {
        let form = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        return (try? form.parse(text)).map { Int64(($0.timeIntervalSince1970 * 1000).rounded()) }
    }

    @Test(arguments: valid)
    func aFormIsTakenAsItStands(_ example: SchemaExample) throws {
        let object = try Self.object(example)
        let entry = try Self.form(object).entry(registeredAt: nil, now: Self.century, time: Self.milliseconds)
        #expect(entry.address.token == object["token"] as? String)
        #expect(entry.address.app == object["app"] as? String)
        #expect(entry.tags == object["tags"] as? [String])
        #expect((entry.registeredAt == nil) == (object["registered_at"] == nil))
    }

    @Test(arguments: invalid.filter { !notOfForms.contains($0.name) })
    func aFormThatBreaksARuleIsRefused(_ example: SchemaExample) throws {
        let form = Self.form(try Self.object(example))
        let fault = #expect(throws: DeviceFault.self) {
            try form.entry(registeredAt: nil, now: Self.century, time: Self.milliseconds)
        }
        #expect(DeviceForm.fields.contains(fault?.field ?? ""))
        for field in ["token", "user"] where fault?.field == field {
            #expect(form.texts[field].map { fault?.reason.contains($0) == false } ?? true)
        }
    }

    @Test(
        "a registration is not yet to come, but for what clocks differ by",
        arguments: [(-1, true), (0, true), (120_000, true), (120_001, false), (86_400_000, false)] as [(Int64, Bool)]
    )
    func registeredAt(ahead: Int64, isTaken: Bool) throws {
        var form = DeviceForm()
        form.texts = ["app": "com.example.parcels", "environment": "production", "token": "aa"]
        let date = Self.century + ahead
        #expect(
            (try? form.entry(registeredAt: date, now: Self.century) { _ in nil })?.registeredAt
                == (isTaken ? date : nil)
        )
        form.texts["registered_at"] = "then"
        do throws(DeviceFault) {
            #expect(try form.entry(registeredAt: nil, now: Self.century) { _ in date }.registeredAt == date)
            #expect(isTaken)
        } catch {
            #expect(!isTaken)
            #expect((error.field, error.reason) == ("registered_at", "is yet to come"))
        }
    }

    @Test func theLimitsAreTheSchemas() throws {
        #expect(Self.valid.count > 5)
        #expect(Self.invalid.count > 15)
        let text = try SchemaExample.text("device.schema.json")
        let schema = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        let properties = try #require(schema["properties"] as? [String: [String: Any]])
        func limit(_ field: String, _ key: String = "maxLength") -> Int? { properties[field]?[key] as? Int }
        for field in ["app", "device", "user", "client"] { #expect(limit(field) == DeviceLimits.nameCharacters) }
        #expect(limit("token") == DeviceLimits.tokenBytes)
        #expect(limit("tags", "maxItems") == DeviceLimits.tags)
        #expect((properties["tags"]?["items"] as? [String: Any])?["maxLength"] as? Int == DeviceLimits.tagCharacters)
        #expect(limit("locale") == DeviceLimits.localeCharacters)
        #expect(limit("time_zone") == DeviceLimits.timeZoneCharacters)
        #expect(limit("app_version") == DeviceLimits.appVersionCharacters)
        #expect(limit("history", "maxItems") == DeviceLimits.history)
        let events = properties["history"]?["items"] as? [String: Any]
        let names = (events?["properties"] as? [String: [String: Any]])?["event"]?["enum"] as? [String]
        #expect(names.map(Set.init) == Set(DeviceHistoryEvent.Kind.allCases.map(\.rawValue)))
    }

    /// What a server holds is read as the schema says it.
    @Test(
        .enabled(if: TestDatabase.isAvailable, "WAYBILL_TEST_STORE is not set"),
        arguments: valid
    )
    func aDocumentIsReadAsItStands(_ example: SchemaExample) async throws {
        let object = try Self.object(example)
        try await RegistryStore.withStore { store in
            try store.insert([Self.document(object)])
            let device = Device(try #require(try store.devices().first))
            let read = try JSONSerialization.jsonObject(with: Data(device.json.utf8)) as? NSDictionary
            #expect(read == object as NSDictionary)
        }
    }

    private static func document(_ object: [String: Any]) -> BSONWriter {
        let writer = BSONWriter()
        func text(_ field: StaticString, _ object: [String: Any], to writer: BSONWriter) {
            if let text = object["\(field)"] as? String { writer.append(field, string: text) }
        }
        func date(_ field: StaticString, _ object: [String: Any], to writer: BSONWriter) {
            if let date = (object["\(field)"] as? String).flatMap(milliseconds) { writer.append(field, date: date) }
        }
        for field in [
            "provider", "app", "environment", "token", "kind", "device", "user", "locale", "time_zone", "app_version",
            "client", "disabled_reason", "suspected_reason",
        ] as [StaticString] { text(field, object, to: writer) }
        for field in ["registered_at", "seen_at", "disabled_at", "invalid_since", "suspected_at"] as [StaticString] {
            date(field, object, to: writer)
        }
        if let enabled = object["enabled"] as? Bool { writer.append("enabled", bool: enabled) }
        if let tags = object["tags"] as? [String] {
            writer.append("tags", array: { array in for tag in tags { array.append(string: tag) } })
        }
        if let history = object["history"] as? [[String: Any]] {
            writer.append(
                "history",
                array: { array in
                    for event in history {
                        array.append { entry in
                            date("at", event, to: entry)
                            for field in ["event", "reason", "successor"] as [StaticString] {
                                text(field, event, to: entry)
                            }
                        }
                    }
                }
            )
        }
        return writer
    }
}
