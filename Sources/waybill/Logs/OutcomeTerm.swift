import WaybillCore

/// An outcome to look for, or one to leave out.
struct OutcomeTerm: Hashable {
    let outcome: Outcome
    let isExcluded: Bool

    /// Reads `accepted`, or `!accepted` for every other one.
    ///
    /// - Throws: `ValidationError` for a word that is no outcome.
    init(_ text: String) throws {
        isExcluded = text.hasPrefix("!")
        outcome = try LogFilters.outcome(isExcluded ? String(text.dropFirst()) : text)
    }
}
