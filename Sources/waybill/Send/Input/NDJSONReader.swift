/// Splits NDJSON into its lines; empty ones are skipped.
///
/// What stands in them is examined later.
enum NDJSONReader {
    static func items(_ bytes: [UInt8]) -> [SourceItem] {
        var items: [SourceItem] = []
        var line = 1
        for part in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            if part.contains(where: { !JSONSpace.contains($0) }) { items.append(SourceItem(line: line, json: part)) }
            line += 1
        }
        return items
    }
}

/// The white space of JSON (RFC 8259 §2).
enum JSONSpace {
    static func contains(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r")
            || byte == UInt8(ascii: "\n")
    }
}
