/// A member of a field such as `Accept`: what it names, and how much that is wanted (RFC 9110, 12.4.2).
struct WeightedWord: Hashable {
    /// In small letters, without parameters.
    let name: String
    /// In thousandths; 0: not at all.
    let weight: Int

    /// Reads it; a weight that is none counts as one that is not there.
    init(_ word: some StringProtocol) {
        let parts = word.split(separator: ";", omittingEmptySubsequences: false).map { part in
            part.lowercased().filter { $0 != " " && $0 != "\t" }
        }
        name = parts.first ?? ""
        weight = parts.dropFirst().first { $0.hasPrefix("q=") }.flatMap { Self.thousandths($0.dropFirst(2)) } ?? 1000
    }

    /// All members of a list.
    static func all(in list: String) -> [WeightedWord] { list.split(separator: ",").map { WeightedWord($0) } }

    /// A number from 0 to 1 with any decimals; `nil` for what is none.
    private static func thousandths(_ text: Substring) -> Int? {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let decimals = parts.count > 1 ? parts[1] : ""
        guard let whole = parts.first, whole == "0" || whole == "1",
            decimals.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return nil }
        let digits = whole + (decimals + "000").prefix(3)
        return Int(digits).map { min($0, 1000) }
    }
}
