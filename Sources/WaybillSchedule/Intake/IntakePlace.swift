/// Where in the store's order the next documents are looked for: behind those that could not be changed.
///
/// What was changed has a state, and is found no more; what was not would be found again and again, and keep those behind it
/// from their turn. After the last page it is begun anew.
struct IntakePlace: Hashable {
    /// So many are looked at together.
    static let pageSize = 50

    /// So many in front are left out.
    private(set) var skip = 0

    /// Takes down that a page was looked at.
    ///
    /// - Parameters:
    ///   - found: how many documents it had.
    ///   - left: how many of them were left as they are.
    /// - Returns: whether there may be more.
    mutating func passed(found: Int, left: Int) -> Bool {
        let isWhole = found == Self.pageSize
        skip = isWhole ? skip + left : 0
        return isWhole
    }
}
