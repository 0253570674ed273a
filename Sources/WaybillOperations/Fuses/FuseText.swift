package import WaybillDeviceRegistry

/// A fuse in words.
package enum FuseText {
    /// What has happened, and what it looks like: half a sentence for a finding.
    package static func finding(_ overview: FuseOverview) -> String {
        let (fuse, cause) = (overview.fuse, overview.fuse.cause)
        let usual = cause.usual.map { ", where \(percent($0)) is usual" } ?? ""
        let share = percent(cause.invalid * 1000 / max(1, cause.answers))
        let reason = cause.reason.map { " (\($0))" } ?? ""
        return
            "prune: lane \(fuse.name.lane): \(cause.invalid) of \(cause.answers) answers (\(share)\(usual)) call the token dead or "
            + "wrong\(reason): \(cause.words); events of \(fuse.name.app) that are held: \(overview.held)"
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
