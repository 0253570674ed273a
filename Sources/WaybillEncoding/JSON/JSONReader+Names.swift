extension JSONReader {
    /// The first name that an object has twice, be it a value itself or in it, however deep.
    ///
    /// Of such members each reader takes the one that it likes.
    ///
    /// - Parameter json: a value that was found to be sound.
    /// - Returns: the name, behind those of the members that it stands in, with dots between; `nil` where each is there once.
    package static func repeatedName(in json: [UInt8]) -> String? {
        json.withUnsafeBufferPointer { (try? repeatedName(in: $0)) ?? nil }
    }

    /// The names of an object that are read; `nil` in place of them for an array.
    private typealias Container = (names: Set<ExactName>?, last: String?)

    private static func repeatedName(in bytes: UnsafeBufferPointer<UInt8>) throws(JSONFault) -> String? {
        var scanner = JSONScanner(bytes, maxDepth: JSONScanner.depthCeiling)
        var open: [Container] = []
        repeat {
            switch try scanner.peek() {
            case UInt8(ascii: "{"):
                scanner.position += 1
                open.append(([], nil))
            case UInt8(ascii: "["):
                scanner.position += 1
                open.append((nil, nil))
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                scanner.position += 1
                open.removeLast()
            case UInt8(ascii: ","): scanner.position += 1
            case UInt8(ascii: "\""):
                let string = try scanner.string()
                guard !open.isEmpty, try scanner.peek() == UInt8(ascii: ":") else { continue }
                scanner.position += 1
                let name = text(bytes, string)
                open[open.count - 1].last = name
                guard open[open.count - 1].names?.insert(ExactName(name)).inserted != false else {
                    return open.compactMap(\.last).joined(separator: ".")
                }
            default: _ = try scanner.scalar()
            }
        } while !open.isEmpty
        return nil
    }
}
