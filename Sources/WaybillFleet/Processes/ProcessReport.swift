import Foundation
import WaybillEncoding
package import WaybillTelemetry

/// A process's state, read from its lease or its `/status`: what is not there is left out, so that versions can be mixed.
package struct ProcessReport: Decodable, Hashable, Sendable {
    package struct Check: Decodable, Hashable, Sendable {
        package var name: String
        package var ok: Bool
        package var cause: String?
        package var since: String?
    }

    package struct Lane: Decodable, Hashable, Sendable {
        package var name: String
        package var state: String
        package var cause: String?
        package var advice: String?
        package var since: String?
        /// Whether it is known not to have been so before; a process of an earlier release does not say.
        package var sinceExact: Bool?
        package var retryAt: String?
        package var connections: Int?
        package var streams: Int?
        package var waiting: Int?
        package var stalls: Int?
    }

    package struct Trouble: Decodable, Hashable, Sendable {
        /// A ``TroubleKind``; of another release it may be one that is not known here.
        package var kind: String?
        package var text: String
        /// The lane that it is about; `nil` where it is about none.
        package var lane: String?
        package var since: String?
        package var advice: String?
    }

    package struct Stuck: Decodable, Hashable, Sendable {
        package var thread: String
        package var busySeconds: Int
    }

    package var ready = false
    package var stopping: Bool?
    /// What a reload that is under way waits for.
    package var reload: String?
    package var checks: [Check]?
    /// Those that it reads; a process of a release that does not say so may read any.
    package var queues: [String]?
    /// By queue, how many consumers the broker counts of it; a process of an earlier release does not say.
    package var consumers: [String: Int]?
    package var lanes: [Lane]?
    package var inFlight: [String: Int]?
    /// By queue, the own time of the message that was taken last.
    package var takenUpTo: [String: String]?
    package var totals: [String: Int]?
    /// By period, such as `1m`: a second, by name.
    package var rates: [String: [String: Double]]?
    package var stuck: [Stuck]?
    /// What goes wrong though nothing is missing.
    package var troubles: [Trouble]?
    package var needs: [String]?

    /// Reads a lease's status; one that cannot be read says nothing.
    package init(_ lease: Lease) {
        self = Self(reading: lease.status) ?? Self()
    }

    /// Reads a status; `nil` for what is none.
    init?(reading status: [UInt8]) {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        guard let report = try? decoder.decode(Self.self, from: Data(status)) else { return nil }
        self = report
    }

    package init() {}
}

extension ProcessReport {
    /// No count of a process comes near them, nor a second, and those of a thousand processes can be added up.
    private static let counts = 0...1_000_000_000_000_000
    private static let speeds = 0...1e12

    /// Whether all its numbers may be true.
    var isPlausible: Bool {
        let ofLanes = (lanes ?? []).flatMap { [$0.connections, $0.streams, $0.waiting, $0.stalls] }.compactMap(\.self)
        let named = [inFlight, totals, consumers].compactMap(\.self).flatMap(\.values)
        let speeds = (rates ?? [:]).values.flatMap(\.values)
        return (ofLanes + named + (stuck ?? []).map(\.busySeconds)).allSatisfy(Self.counts.contains)
            && speeds.allSatisfy(Self.speeds.contains)
    }
}

extension ProcessReport {
    /// How many consumers the broker counts of it: also those that have ended and still hold messages.
    ///
    /// - Parameter queue: the queue that they read.
    /// - Returns: 1 for each queue that a process of an earlier release reads, which does not say how many.
    package func consumers(of queue: String) -> Int {
        guard let consumers else { return queues?.contains(queue) ?? true ? 1 : 0 }
        return consumers[queue] ?? 0
    }
}

extension ProcessReport.Lane {
    /// How long a process may take for its first push over a lane, in milliseconds: what it finds then was so before.
    private static let startTime: Int64 = 60_000

    /// Whether the lane may have been as it is in the process before this one, too.
    ///
    /// An operator's order has its own time, which is exact, and so has what was sound in this process before.
    ///
    /// - Parameter started: when the process began, in milliseconds since 1970.
    /// - Returns: `false` where it has changed since.
    package func mayBeOlder(thanStart started: Int64) -> Bool {
        guard sinceExact != true, state == "parked" || state == "probing", let date = since.flatMap(TimeText.date)
        else { return false }
        return date - started < Self.startTime
    }
}

extension ProcessReport.Trouble {
    /// What it is; `nil` where this release does not know it.
    package var known: TroubleKind? { kind.flatMap(TroubleKind.init(rawValue:)) }

    /// Whether it keeps what is for its lane from being sent.
    package var stopsLane: Bool { isSilence || known == .pushServiceUnreached || known == .noToken }

    /// Whether it is that a push service answers nothing.
    package var isSilence: Bool { known == .pushServiceSilent }

    /// Whether it is that a configuration was to be loaded that cannot be used.
    var isRefusedReload: Bool { known == .reloadRefused }

    /// Whether it is that a dispatcher finishes nothing, which has its cause in something else: a lane, the store, the broker.
    package var isStandstill: Bool { known == .standstill }
}

extension ProcessReport {
    /// What goes wrong as people are told of it: that nothing is finished, where nothing else says why.
    package var toldTroubles: [Trouble] {
        let told = (troubles ?? []).filter { FleetHealth.isTold($0, of: self) }
        let isExplained = told.contains(where: \.stopsLane) || (checks ?? []).contains { !$0.ok }
        return isExplained ? told.filter { !$0.isStandstill } : told
    }
}
