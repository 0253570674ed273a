import ArgumentParser
import Testing
import WaybillDeviceRegistry
import WaybillMessages

@testable import waybill

/// What `waybill devices` finds by an audience's options is what the audience means.
@Suite struct DeviceFilterTests {
    @Test func anAudiencesOptionsMeanTheSame() throws {
        let options = [
            "--app", "com.example.parcels", "--app", "parcels-4711", "--tag", "beta", "--tag", "staff", "--locale",
            "de",
            "--locale", "en_gb", "--time-zone", "Europe/Vienna", "--time-zone", "Asia/Calcutta", "--version-from",
            "v2.10-rc.1",
            "--version-below", "3", "--seen-since", "2026-11-01", "--seen-before", "2026-11-21",
        ]
        let query = try DeviceFilters.parse(options).query()
        let selection = try AudienceFilters.parse(options).selection()
        guard case .filter(let filter) = selection.kind else {
            Issue.record("\(selection.kind)")
            return
        }
        #expect(query.apps == selection.apps && query.apps.count == 2)
        #expect(query.tags == filter.tags && query.tags == ["beta", "staff"])
        #expect(query.locales == filter.locales && query.locales == ["de", "en-GB"])
        #expect(query.timeZones == filter.timeZones && query.timeZones == ["Europe/Vienna", "Asia/Kolkata"])
        #expect(query.versionFrom == filter.versionFrom && query.versionFrom == [2, 10])
        #expect(query.versionBelow == filter.versionBelow && query.versionBelow == [3])
        #expect(query.heardSince == filter.seenSince && query.heardSince != nil)
        #expect(query.heardBefore == filter.seenBefore && query.heardBefore != nil)
    }

    @Test(arguments: [
        ["--version-from", "new"], ["--version-below", "x.1"], ["--locale", "(\u{301}"],
        ["--app-version", "2", "--version-from", "1"], ["--app-version", "2", "--version-below", "3"],
        ["--enabled", "--disabled"],
    ])
    func whatCannotBeMeantIsRefused(options: [String]) {
        #expect(throws: (any Error).self) { _ = try DeviceFilters.parse(options) }
    }
}
