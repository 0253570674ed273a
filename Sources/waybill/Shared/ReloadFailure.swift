/// Why a new configuration is not worked with, beside the errors of its parts.
enum ReloadFailure: Error, CustomStringConvertible {
    /// What loading has found, one line each.
    case findings([String])
    case late

    var description: String {
        switch self {
        case .findings(let lines): lines.joined(separator: "; ")
        case .late: "broker or store did not answer in time"
        }
    }
}
