/// How one header stands in a header block (RFC 7541 §6), read by hand: nghttp2 is what is being looked at.
struct HeaderField: Hashable {
    enum Form: Hashable {
        /// Name and value by their place in a table.
        case indexed(Int)
        /// Written out, and from then on in the table.
        case incremental
        /// Written out, and kept out of the table.
        case withoutIndexing
        /// Written out, and kept out of every table on the way.
        case neverIndexed
    }

    let form: Form
    /// The name's place in a table; 0 when it is written out.
    let nameIndex: Int
    /// The literal name, if it is not Huffman-coded and not in a table.
    let name: String?
    /// Bytes that the field takes.
    let size: Int

    /// The places of the static table (RFC 7541 appendix A) that requests to APNs use.
    static let path = 4
    static let authorization = 23

    /// Reads a whole block; `nil` when it is malformed.
    static func read(_ block: [UInt8]) -> [HeaderField]? {
        var reader = Reader(bytes: block)
        var fields: [HeaderField] = []
        while !reader.isAtEnd {
            guard let field = reader.field() else { return nil }
            if let field { fields.append(field) }
        }
        return fields
    }

    private struct Reader {
        let bytes: [UInt8]
        var position = 0

        var isAtEnd: Bool { position == bytes.count }

        /// The next field; its inner value is `nil` for a change of the table's size.
        mutating func field() -> HeaderField?? {
            let start = position
            let first = bytes[position]
            if first & 0x80 != 0 {
                guard let index = integer(bits: 7) else { return nil }
                return HeaderField(form: .indexed(index), nameIndex: index, name: nil, size: position - start)
            }
            if first & 0xE0 == 0x20 { return integer(bits: 5) == nil ? nil : .some(nil) }
            let form: Form = first & 0x40 != 0 ? .incremental : first & 0x10 != 0 ? .neverIndexed : .withoutIndexing
            guard let index = integer(bits: form == .incremental ? 6 : 4) else { return nil }
            var name: String?
            if index == 0 {
                guard let literal = string() else { return nil }
                name = literal
            }
            guard string() != nil else { return nil }
            return HeaderField(form: form, nameIndex: index, name: name, size: position - start)
        }

        /// An integer (RFC 7541 §5.1).
        private mutating func integer(bits: Int) -> Int? {
            guard position < bytes.count else { return nil }
            let mask = 1 << bits - 1
            var value = Int(bytes[position]) & mask
            position += 1
            guard value == mask else { return value }
            var shift = 0
            while position < bytes.count, shift < 28 {
                let byte = Int(bytes[position])
                position += 1
                value += (byte & 0x7F) << shift
                if byte & 0x80 == 0 { return value }
                shift += 7
            }
            return nil
        }

        /// A string (RFC 7541 §5.2); a Huffman-coded one is skipped and reads as empty.
        private mutating func string() -> String? {
            guard position < bytes.count else { return nil }
            let isHuffman = bytes[position] & 0x80 != 0
            guard let count = integer(bits: 7), position + count <= bytes.count else { return nil }
            defer { position += count }
            return isHuffman ? "" : String(decoding: bytes[position..<(position + count)], as: UTF8.self)
        }
    }
}
