import ArgumentParser

/// How the input of `waybill send` is written.
enum InputFormat: String, CaseIterable, ExpressibleByArgument {
    /// One dispatch message, in any of its three forms.
    case json
    /// One notification to a line.
    case ndjson
    /// A header with field names, then one notification to a record (RFC 4180).
    case csv

    /// The format that a file's name stands for.
    init?(fileName: String) {
        guard let dot = fileName.lastIndex(of: ".") else { return nil }
        switch fileName[fileName.index(after: dot)...].lowercased() {
        case "json": self = .json
        case "ndjson", "jsonl": self = .ndjson
        case "csv": self = .csv
        default: return nil
        }
    }
}
