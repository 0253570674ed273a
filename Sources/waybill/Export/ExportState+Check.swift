import WaybillEncoding

/// What an export never writes into its state: such a one was changed, or is damaged.
extension ExportState {
    /// Times that can be given: the longest duration back from now, and the year 9999.
    private static let times: Range<Int64> = -700_000_000_000_000_000..<253_402_387_200_000

    /// What does not fit together, in words; `nil` where all does.
    var contradiction: String? { formContradiction ?? valueContradiction }

    /// A state of an earlier release is known by having nothing at all of the present form.
    private var formContradiction: String? {
        switch form {
        case nil:
            return sha256 == nil && given == nil ? nil : "form is missing"
        case Self.presentForm?:
            guard let sha256, sha256.utf8.count == 64 else { return "sha256 is missing, or none" }
            guard let given else { return "given is missing" }
            let areSame =
                Self.isThat(given["since"], since) && Self.isThat(given["before"], before)
                && (given["until"] == nil || Self.isThat(given["until"], until))
            return areSame ? nil : "given has other limits"
        case .some: return "form is of another release"
        }
    }

    /// Whether a limit as it was given may be this moment.
    private static func isThat(_ given: String?, _ moment: Int64?) -> Bool {
        guard let given, let moment else { return given == nil && moment == nil }
        return DurationText.parse(given) != nil || given == TimeText.text(milliseconds: moment)
    }

    private var valueContradiction: String? {
        // It is written only where there is a next page.
        if cursor?.isEmpty ?? true { return "cursor is missing" }
        if bytes < 0 { return "bytes is negative" }
        if records < 0 { return "records is negative" }
        if Int64(records) > bytes { return "records is more than bytes can hold" }
        // CSV begins with the columns' names.
        if format == .csv, bytes == 0 { return "bytes is 0" }
        return [since, before, until].allSatisfy { $0.map(Self.times.contains) ?? true }
            ? nil : "a time is out of range"
    }
}
