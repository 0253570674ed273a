import Testing

@testable import WaybillDeviceRegistry

/// Locale, time zone and version of a device in words.
@Suite struct DevicePlaceFormTests {
    private static func form(_ texts: [String: String]) -> DeviceForm {
        var form = DeviceForm()
        form.texts = ["app": "com.example.parcels", "environment": "production", "token": "aabb"]
        form.texts.merge(texts) { $1 }
        return form
    }

    private static func entry(_ form: DeviceForm) throws(DeviceFault) -> DeviceEntry {
        try form.entry(registeredAt: nil, now: 0) { _ in nil }
    }

    @Test func placesAreKeptInTheirCanonicalForm() throws {
        let texts = ["locale": "zh_CN_#Hans", "time_zone": "Asia/Calcutta", "app_version": "v2.10-rc.1"]
        let entry = try Self.entry(Self.form(texts))
        #expect((entry.locale, entry.timeZone, entry.appVersion) == ("zh-Hans-CN", "Asia/Kolkata", "v2.10-rc.1"))
        #expect(entry.warnings == [])
    }

    @Test func anInvalidLocaleIsLeftOutWithAWarning() throws {
        let entry = try Self.entry(Self.form(["locale": "(\u{301}", "time_zone": "Europe/Vienna"]))
        #expect(entry.locale == nil && entry.timeZone == "Europe/Vienna")
        #expect(entry.warnings.map(\.field) == ["locale"])
    }

    @Test(arguments: ["beta", "version 2", "(2.10)", "-1"]) func aVersionWithoutNumbersIsRefused(text: String) throws {
        let fault = #expect(throws: DeviceFault.self) { try Self.entry(Self.form(["app_version": text])) }
        #expect(fault?.field == "app_version")
        // An export is of a registry that took it.
        var export = Self.form(["app_version": text])
        export.isEnabled = true
        let entry = try Self.entry(export)
        #expect(entry.appVersion == nil && entry.warnings.map(\.field) == ["app_version"])
    }
}
