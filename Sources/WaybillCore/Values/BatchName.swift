import WaybillEncoding

/// The name of a batch, as somebody looks for it.
package struct BatchName: Hashable, Sendable {
    package var name: String
    /// Whether the parts `NAME.1`, `NAME.2` and so on are meant too: `waybill send` names the messages of a large input
    /// so.
    package var includesParts: Bool

    package init(_ name: String, includesParts: Bool = true) {
        self.name = name
        self.includesParts = includesParts
    }

    package static func == (left: Self, right: Self) -> Bool {
        left.name.isExactly(right.name) && left.includesParts == right.includesParts
    }

    /// Whether records of a batch of this name are meant.
    package func includes(_ other: String) -> Bool {
        if other.isExactly(name) { return true }
        guard includesParts, other.utf8.starts(with: "\(name).".utf8) else { return false }
        let number = other.utf8.dropFirst(name.utf8.count + 1)
        return !number.isEmpty && number.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    /// So many bytes of UTF-8 a batch's name has at the most.
    package static let mostBytes = 255

    /// Why no batch can have a name, in words that follow what it is called; `nil` where one can.
    package static func fault(of name: String) -> String? {
        guard (1...mostBytes).contains(name.utf8.count), !ControlCharacters.areIn(name) else {
            return "has 1 to \(mostBytes) bytes and no control character"
        }
        return nil
    }

    /// The name that `NAME.1` is a part of; `nil` for a name that does not end so.
    package static func whole(of part: String) -> String? {
        let utf8 = part.utf8
        guard let dot = utf8.lastIndex(of: UInt8(ascii: ".")) else { return nil }
        let number = utf8[utf8.index(after: dot)...]
        guard !number.isEmpty, number.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
            return nil
        }
        return String(part[..<dot])
    }
}
