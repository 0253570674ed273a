import Foundation

/// When a campaign goes out.
package struct CampaignTiming: Hashable, Sendable {
    package enum Start: Hashable, Sendable {
        case now
        /// Milliseconds since 1970.
        case at(Int64)
        /// When the phones' own clocks show it.
        case local(LocalTime)
    }

    /// What becomes of devices for which the time has passed already when the campaign is started.
    package enum Passed: String, CaseIterable, Sendable {
        case skip
        case now
    }

    package var start: Start
    /// Of devices whose zone nobody knows.
    package var zone: String
    package var passed: Passed
    package var quiet: QuietHours?

    package init(start: Start, zone: String = "UTC", passed: Passed = .skip, quiet: QuietHours? = nil) {
        self.start = start
        self.zone = zone
        self.passed = passed
        self.quiet = quiet
    }

    /// When its last devices are told if nobody has quiet hours, in milliseconds since 1970; `nil` where the start says it.
    var latestStart: Int64? {
        switch start {
        case .now: nil
        case .at(let time): time
        // Clocks are behind UTC by 12 hours at the most.
        case .local(let time): time.instant(in: .gmt).map { $0 + 12 * 3_600_000 }
        }
    }

    /// When the first clocks show its local time.
    ///
    /// - Parameter zones: of the devices; empty: anywhere on earth.
    /// - Returns: milliseconds since 1970; `nil` where it has none.
    func earliestLocalStart(in zones: [String]) -> Int64? {
        guard case .local(let time) = start else { return nil }
        // Clocks are ahead of UTC by 14 hours at the most.
        guard !zones.isEmpty else { return time.instant(in: .gmt).map { $0 - 14 * 3_600_000 } }
        return zones.compactMap { time.instant(in: TimeZone(identifier: $0) ?? fallback) }.min()
    }

    /// Of devices whose zone nobody knows.
    var fallback: TimeZone { TimeZone(identifier: zone) ?? .gmt }

    /// Whether all devices are left out because their time has passed, wherever they are.
    ///
    /// - Parameter now: milliseconds since 1970.
    /// - Returns: also `false` where they are told at once then.
    func hasPassed(now: Int64) -> Bool {
        guard passed == .skip, let latestStart else { return false }
        return now - latestStart > CampaignPlan.grace
    }

    /// Whether it says what clocks show.
    var isLocalTime: Bool {
        if case .local = start { return true }
        return false
    }

    /// Whether it depends on where a device is.
    package var isLocal: Bool {
        isLocalTime || quiet != nil
    }
}
