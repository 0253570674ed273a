import ArgumentParser
import Foundation
import Testing

@testable import waybill

/// `--resume` goes on with the limits of time that the export was given, and with no others.
struct ExportLimitsTests {
    private static func limits(since: String? = nil, before: String? = nil, until: String? = nil) throws -> ExportLimits
    {
        ExportLimits(
            since: try since.map { try GivenTime($0) },
            before: try before.map { try GivenTime($0) },
            until: try until.map { try GivenTime($0) }
        )
    }

    private static func isOtherFilters(_ error: any Error) -> Bool {
        (error as? CommandFailure)?.status == .badInput
            && (error as? CommandFailure)?.text.contains("had other filters") == true
    }

    @Test func aDurationIsTheSameAtEveryStart() throws {
        let source = try CountedSource()
        try source.begin(.ndjson, Self.limits(since: "24h"))
        let since = try #require(try ExportState.read(source.state)?.since)
        // As it is a while later.
        try source.change(source.state, ["since": "\(since - 3_600_000)"])
        let same = try Self.limits(since: "1d")
        for other in [
            try Self.limits(), try Self.limits(since: "25h"), try Self.limits(since: "2026-11-21"),
            try Self.limits(since: "24h", until: "1h"), try Self.limits(since: "24h", until: "2026-11-21"),
            try Self.limits(since: "24h", before: "1h"),
        ] {
            #expect { try source.end(.ndjson, other) } throws: { Self.isOtherFilters($0) }
        }
        let manifest = try #require(try source.end(.ndjson, same))
        #expect(manifest.given == ["since": "1d"])
        #expect(manifest.since.map { $0 < GivenTime(milliseconds: since).text } == true)
        // Neither is one that is whole that of others.
        #expect { try source.end(.ndjson, Self.limits(since: "25h")) } throws: { Self.isOtherFilters($0) }
        #expect { try source.end(.ndjson, Self.limits()) } throws: { Self.isOtherFilters($0) }
        #expect(try source.end(.ndjson, same) == manifest)
    }

    @Test func aDateIsTheSameInEveryForm() throws {
        let source = try CountedSource()
        try source.begin(.ndjson, Self.limits(since: "2026-11-20", until: "2026-11-21T04:05Z"))
        for other in [
            try Self.limits(since: "2026-11-20"), try Self.limits(until: "2026-11-21T04:05Z"),
            try Self.limits(since: "2026-11-20", until: "2026-11-21T04:06Z"),
            try Self.limits(since: "2026-11-19", until: "2026-11-21T04:05Z"),
            try Self.limits(since: "7d", until: "2026-11-21T04:05Z"),
        ] {
            #expect { try source.end(.ndjson, other) } throws: { Self.isOtherFilters($0) }
        }
        let same = try Self.limits(since: "2026-11-20T02:00+02:00", until: "2026-11-21T06:05:00+02:00")
        #expect(try source.end(.ndjson, same)?.until == "2026-11-21T04:05:00.000Z")
    }

    /// An earlier release noted the moments alone: a duration may be any.
    @Test(arguments: [false, true]) func ofAnEarlierReleaseIsWhatMayBe(isWhole: Bool) throws {
        let source = try CountedSource()
        let given = try Self.limits(since: "2026-11-20")
        try source.begin(.ndjson, given)
        if isWhole {
            _ = try source.end(.ndjson, given)
            try source.change(source.manifest, ["given": nil])
        } else {
            try source.makeEarlier(source.state)
        }
        for other in [
            try Self.limits(), try Self.limits(since: "2026-11-21"),
            try Self.limits(since: "2026-11-20", until: "2026-11-21"),
        ] {
            #expect { try source.end(.ndjson, other) } throws: { Self.isOtherFilters($0) }
        }
        #expect(try source.end(.ndjson, Self.limits(since: "7d"))?.records == 30)
    }

    @Test func theCommandLineSaysHowTheyWereGiven() throws {
        let filters = try LogFilters.parse(["--since", "48h", "--until", "2999-11-21T06:05+02:00"])
        #expect(
            ExportLimits(since: filters.since, until: filters.until).texts
                == ["since": "2d", "until": "2999-11-21T04:05:00.000Z"]
        )
        let devices = try DeviceFilters.parse(["--seen-since", "2026-11-20", "--seen-before", "1w"])
        #expect(
            ExportLimits(since: devices.seenSince, before: devices.seenBefore).texts
                == ["since": "2026-11-20T00:00:00.000Z", "before": "7d"]
        )
    }
}
