import WaybillCore

/// A name of a request that is not known: what is said of it.
enum UnknownName {
    private static let longest = 24
    private static let mostDigits = 2

    /// Whether a name may be repeated: other texts may be a token or a key, which no answer repeats.
    static func isWord(_ name: String) -> Bool {
        let bytes = name.utf8
        let digits = bytes.count { (48...57).contains($0) }
        return 1...longest ~= bytes.count && digits <= mostDigits
            && bytes.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }

    /// Names what is not known, as far as it may be repeated, and what may have been meant.
    ///
    /// - Parameters:
    ///   - kind: what it is the name of, such as `parameter`.
    ///   - name: the name.
    ///   - place: where it stands, with a blank in front.
    ///   - names: those that are known.
    /// - Returns: a sentence without a full stop.
    static func text(_ kind: String, _ name: String, in place: String = "", among names: Set<String>) -> String {
        let known = names.isEmpty ? "none" : names.sorted().joined(separator: ", ")
        let meant = NearestName.to(name, among: names).map { ": \($0)?" } ?? ";"
        return "\(isWord(name) ? "the \(kind) \(name)" : "a \(kind)")\(place) is not known here\(meant) known: \(known)"
    }
}
