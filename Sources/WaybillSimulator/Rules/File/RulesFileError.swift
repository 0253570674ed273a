/// Why a rules file cannot be used.
package struct RulesFileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Where, as in `rules[2].goaway.reason`; empty for the whole document.
    package let path: String
    /// What is wrong.
    package let problem: String

    package var description: String { path.isEmpty ? problem : "\(path): \(problem)" }
}
