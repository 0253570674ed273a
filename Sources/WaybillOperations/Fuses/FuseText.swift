package import WaybillDeviceRegistry
import WaybillFleet

/// A fuse in words.
package enum FuseText {
    /// What has happened, and what it looks like: half a sentence for a finding.
    package static func finding(_ overview: FuseOverview) -> String {
        let fuse = overview.fuse
        return
            "prune: lane \(fuse.name.lane): \(answers(fuse.cause)): \(fuse.cause.words); events of "
            + "\(fuse.name.app) that are held now: \(overview.held)"
    }

    /// That there are documents which are no fuses.
    ///
    /// - Parameter names: theirs.
    /// - Returns: `nil` where there are none.
    package static func unreadable(_ names: [String]) -> String? {
        guard let first = names.first else { return nil }
        let others = names.count > 1 ? " and \(names.count - 1) more" : ""
        return
            "the collection fuses has what is no fuse, and prune carries out nothing while it is there: \(first)\(others)"
    }

    /// What to do about them.
    package static let unreadableAdvice =
        "Nothing is lost: events wait. Waybill writes no such document: see who else may write to the collection, and remove it. A fuse of "
        + "another release may look like this, too: start all processes in one release."

    /// That nobody carries out what was released.
    static func release(_ overview: FuseOverview, now: Int64) -> FleetHealth.Finding {
        FleetHealth.Finding(
            .noPrune,
            .degraded,
            releaseFinding(overview, now: now),
            advice: StateAdvice.noPruneAfterRelease,
            lane: overview.fuse.name.lane
        )
    }

    /// The same in one line, and since when.
    private static func releaseFinding(_ overview: FuseOverview, now: Int64) -> String {
        let fuse = overview.fuse
        let since = fuse.decision.map { " \(FleetHealth.age($0.date, now)) ago by \($0.name)" } ?? ""
        return
            "no waybill prune runs; lane \(fuse.name.lane): events of \(fuse.name.app) that were released\(since) wait to be carried out: "
            + "\(overview.held)"
    }

    /// How many answers have blown a fuse, as half a sentence: what came after that is not counted in it.
    static func answers(_ cause: Fuse.Cause) -> String {
        let usual = cause.usual.map { ", where \(percent($0)) is usual" } ?? ""
        let share = percent(cause.invalid * 1000 / max(1, cause.answers))
        let reason = cause.reason.map { " (\($0))" } ?? ""
        return
            "\(cause.invalid) of \(cause.answers) answers (\(share)\(usual)) called the token dead or wrong\(reason) when the fuse blew"
    }

    /// What to do about it.
    package static func advice(_ name: FuseName) -> String {
        "Nobody is disabled meanwhile. See what is wrong (waybill prune status). If the push service is right: waybill prune release "
            + "\(ShellWord.quoted(name.lane)). If it is not: remove the cause, then waybill prune discard \(ShellWord.quoted(name.lane))."
    }

    /// Parts of a thousand as per cent, such as `63 %` or `0.5 %`.
    package static func percent(_ thousandths: Int) -> String {
        thousandths >= 100 || thousandths % 10 == 0
            ? "\(thousandths / 10) %" : "\(thousandths / 10).\(thousandths % 10) %"
    }
}
