/// What an operator's key is for; each role may do all that the one before it may.
package enum Role: String, CaseIterable, Comparable, Sendable {
    /// Sees what became of pushes, with the last four characters of each token.
    case reader
    /// Sees tokens whole, and asks by them.
    case investigator
    /// Gives orders: to lanes, to send nothing more of a batch, to try rejected messages again.
    case `operator`
    /// Destroys: takes rejected messages away for good.
    case steward

    package static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }

    private var rank: Int {
        switch self {
        case .reader: 0
        case .investigator: 1
        case .operator: 2
        case .steward: 3
        }
    }
}
