extension JSONReader {
    /// Whether each number of a text is a finite double, as most readers need it (RFC 8259, 6).
    ///
    /// - Parameter json: a value that was found to be sound.
    /// - Returns: `false` for one with a number such as `1e400`.
    package static func hasFiniteNumbers(_ json: some Sequence<UInt8>) -> Bool {
        Array(json).withUnsafeBufferPointer { hasFiniteNumbers($0) }
    }

    private static func hasFiniteNumbers(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        var position = 0
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "\""):
                position += 1
                while position < bytes.count, bytes[position] != UInt8(ascii: "\"") {
                    position += bytes[position] == UInt8(ascii: "\\") ? 2 : 1
                }
                position += 1
            case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
                let start = position
                while position < bytes.count, isOfNumber(bytes[position]) { position += 1 }
                let number = UnsafeBufferPointer(rebasing: bytes[start..<position])
                guard JSONNumber.double(number) != nil else { return false }
            default: position += 1
            }
        }
        return true
    }

    private static func isOfNumber(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "e"), UInt8(ascii: "E"):
            true
        default: false
        }
    }
}
