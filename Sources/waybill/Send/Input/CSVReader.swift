/// Reads comma-separated values (RFC 4180): quoted fields, doubled quotes, line breaks inside quotes, LF or CRLF.
struct CSVReader {
    struct Record: Equatable {
        /// The line on which the record begins, counted from 1.
        let line: Int
        let fields: [String]
    }

    private let bytes: [UInt8]
    private var position: Int
    private var line = 1

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        // The byte order mark that spreadsheets write.
        position = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    }

    /// The next record; `nil` at the end.
    ///
    /// Empty lines are skipped.
    mutating func next() throws(InputError) -> Record? {
        while position < bytes.count, takeLineBreak() {}
        guard position < bytes.count else { return nil }
        let start = line
        var fields: [String] = []
        while true {
            fields.append(try takeField())
            if take(UInt8(ascii: ",")) { continue }
            guard position == bytes.count || takeLineBreak() else {
                throw InputError(line: line, reason: "a quoted field must end at a comma or at the end of the line")
            }
            return Record(line: start, fields: fields)
        }
    }

    private mutating func takeField() throws(InputError) -> String {
        guard take(UInt8(ascii: "\"")) else { return try takePlainField() }
        let start = line
        var field: [UInt8] = []
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            if byte == UInt8(ascii: "\"") {
                guard take(UInt8(ascii: "\"")) else { return try text(field, line: start) }
            }
            if byte == UInt8(ascii: "\n") { line += 1 }
            field.append(byte)
        }
        throw InputError(line: start, reason: "a quoted field is never closed")
    }

    private mutating func takePlainField() throws(InputError) -> String {
        let start = position
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: ","), UInt8(ascii: "\n"): return try text(bytes[start..<position], line: line)
            case UInt8(ascii: "\r") where position + 1 == bytes.count || bytes[position + 1] == UInt8(ascii: "\n"):
                return try text(bytes[start..<position], line: line)
            case UInt8(ascii: "\""):
                throw InputError(line: line, reason: "a quote inside a field needs quotes around the field")
            default: position += 1
            }
        }
        return try text(bytes[start...], line: line)
    }

    private func text(_ field: some Collection<UInt8>, line: Int) throws(InputError) -> String {
        guard let text = String(validating: field, as: UTF8.self) else {
            throw InputError(line: line, reason: "not UTF-8 text")
        }
        return text
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard position < bytes.count, bytes[position] == byte else { return false }
        position += 1
        return true
    }

    private mutating func takeLineBreak() -> Bool {
        let start = position
        _ = take(UInt8(ascii: "\r"))
        if take(UInt8(ascii: "\n")) {
            line += 1
            return true
        }
        if position == bytes.count, position > start { return true }
        position = start
        return false
    }
}
