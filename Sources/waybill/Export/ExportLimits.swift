import WaybillEncoding

/// The limits of time that an export was given.
struct ExportLimits: Equatable {
    var since: GivenTime?
    /// Of devices alone.
    var before: GivenTime?
    var until: GivenTime?

    /// As they were given, by their names; a state and a manifest have them, so that the same command line is known again.
    var texts: [String: String] {
        var texts: [String: String] = [:]
        texts["since"] = since?.text
        texts["before"] = before?.text
        texts["until"] = until?.text
        return texts
    }

    /// Whether they are those of an earlier export.
    func areThose(of state: ExportState) -> Bool {
        if let given = state.given { return given == texts }
        return Self.mayBe(since, state.since) && Self.mayBe(before, state.before) && mayEnd(at: state.until)
    }

    /// Whether they are those of an earlier export that is whole.
    func areThose(of manifest: ExportManifest) -> Bool {
        if let given = manifest.given { return given == texts }
        let since = manifest.since.map { TimeText.date($0) ?? .min }
        return Self.mayBe(self.since, since) && mayEnd(at: TimeText.date(manifest.until) ?? .min)
    }

    /// Whether a limit may be that of an export of an earlier release, which noted the moment alone: any duration may be.
    private static func mayBe(_ given: GivenTime?, _ moment: Int64?) -> Bool {
        guard let given, let moment else { return given == nil && moment == nil }
        return given.isRelative || given.milliseconds == moment
    }

    /// The same of the end, which is a moment also where none was given.
    private func mayEnd(at moment: Int64) -> Bool { until == nil || Self.mayBe(until, moment) }
}
