import ArgumentParser

/// How what is exported is written.
enum ExportFormat: String, CaseIterable, Codable, ExpressibleByArgument {
    case ndjson
    case csv
}
