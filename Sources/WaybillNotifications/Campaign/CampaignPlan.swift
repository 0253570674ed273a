import Foundation

/// Devices of a campaign that are told at the same moment.
package struct CampaignPart: Hashable, Sendable {
    /// In milliseconds since 1970; `nil`: at once.
    package var at: Int64?
    /// Of these time zones.
    package var zones: [String]
    /// Of all other zones than these, and of none; `nil`: of ``zones``, or, where these are none, of any.
    package var otherThan: [String]?
    /// How many there were when it was planned.
    package var devices: Int
    /// Why they are not told.
    package var skipped: String?

    package init(
        at: Int64?,
        zones: [String] = [],
        otherThan: [String]? = nil,
        devices: Int,
        skipped: String? = nil
    ) {
        self.at = at
        self.zones = zones
        self.otherThan = otherThan
        self.devices = devices
        self.skipped = skipped
    }
}

/// Who is told when.
enum CampaignPlan {
    static let passed = "the time has passed there"
    /// So long after a moment that is the same everywhere a start is still in time, in milliseconds: whoever starts it at that
    /// moment is a little late.
    static let grace: Int64 = 60_000
    static let expired = "it would come after its end"

    /// - Parameters:
    ///   - timing: of the campaign.
    ///   - zones: how many devices are in which time zone, as the registry has it.
    ///   - named: the time zones of all devices that are meant; empty: they may be anywhere.
    ///   - end: when nothing is sent any more, in milliseconds since 1970.
    ///   - now: the same of now.
    /// - Returns: parts in the order of their times; each device is in one of them.
    static func parts(
        _ timing: CampaignTiming,
        zones: [(name: String?, devices: Int)],
        named: [String] = [],
        end: Int64?,
        now: Int64
    ) -> [CampaignPart] {
        guard timing.isLocal else {
            let devices = zones.reduce(0) { $0 + $1.devices }
            var at: Int64?
            if case .at(let time) = timing.start {
                if isPast(time, now) {
                    guard timing.passed == .now else {
                        return [CampaignPart(at: time, devices: devices, skipped: passed)]
                    }
                } else {
                    at = time
                }
            }
            let isLate = end.map { max(at ?? now, now) >= $0 } ?? false
            return [CampaignPart(at: at, devices: devices, skipped: isLate ? expired : nil)]
        }
        let fallback = time(timing, timing.fallback, end: end, now: now)
        var parts: [Moment: CampaignPart] = [:]
        var rest = CampaignPart(at: fallback.at, otherThan: [], devices: 0, skipped: fallback.skipped)
        for (name, devices) in named.isEmpty ? zones : counts(zones, of: named) {
            let zone = name.flatMap(TimeZone.init(identifier:))
            let moment = zone.map { time(timing, $0, end: end, now: now) } ?? fallback
            // Where no zones are named, the rest is for those that have no devices yet, too.
            guard let name, !named.isEmpty || moment != fallback else {
                rest.devices += devices
                continue
            }
            let part = CampaignPart(at: moment.at, devices: 0, skipped: moment.skipped)
            parts[moment, default: part].zones.append(name)
            parts[moment, default: part].devices += devices
            rest.otherThan?.append(name)
        }
        rest.otherThan?.sort()
        return ((named.isEmpty ? [rest] : []) + parts.values)
            .map { part in
                var part = part
                part.zones.sort()
                return part
            }
            .sorted { ($0.at ?? 0, $0.zones.first ?? "") < ($1.at ?? 0, $1.zones.first ?? "") }
    }

    private static func counts(
        _ zones: [(name: String?, devices: Int)],
        of named: [String]
    ) -> [(name: String?, devices: Int)] {
        var counts: [String?: Int] = [:]
        for zone in zones { counts[zone.name, default: 0] += zone.devices }
        return Set(named).map { (name: $0, devices: counts[$0] ?? 0) }
    }

    private static func isPast(_ time: Int64, _ now: Int64) -> Bool { now - time > grace }

    private struct Moment: Hashable {
        var at: Int64?
        var skipped: String?
    }

    private static func time(_ timing: CampaignTiming, _ zone: TimeZone, end: Int64?, now: Int64) -> Moment {
        var time =
            switch timing.start {
            case .now: now
            case .at(let time): isPast(time, now) ? time : max(time, now)
            case .local(let local): local.instant(in: zone) ?? now
            }
        if time < now {
            if timing.passed == .skip { return Moment(skipped: passed) }
            time = now
        }
        if let quiet = timing.quiet { time = quiet.end(after: time, in: zone) }
        if let end, time >= end { return Moment(skipped: expired) }
        return Moment(at: time > now ? time : nil)
    }
}
