package import Foundation

/// An example of the tables beside the schemas (`schemas/examples/README.md`).
///
/// `scripts/check-schemas.py` runs the same ones through the schemas: together they keep schema and decoder from drifting.
package struct SchemaExample: Sendable {
    package let name: String
    /// As it stands in the table, to the byte.
    package let body: [UInt8]

    /// The folder `schemas` of the repository.
    package static let schemas = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "schemas")

    /// The text of a file in that folder.
    package static func text(_ name: String) throws -> String {
        try String(contentsOf: schemas.appending(path: name), encoding: .utf8)
    }

    /// The valid or the invalid examples of a schema, in the order of its table.
    ///
    /// - Throws: when there is no such table, or it is written otherwise than it should be.
    package static func all(of schema: String, valid: Bool) throws -> [SchemaExample] {
        let examples = schemas.appending(path: "examples")
        let yaml = examples.appending(path: "\(schema).yaml")
        if FileManager.default.fileExists(atPath: yaml.path) {
            return try documents(String(contentsOf: yaml, encoding: .utf8), kind: valid ? "valid" : "invalid")
        }
        return try Data(contentsOf: examples.appending(path: "\(schema).ndjson")).split(separator: UInt8(ascii: "\n"))
            .compactMap { try example(inLine: $0, valid: valid) }
    }

    private struct Head: Decodable {
        let name: String
        let valid: Bool
    }

    /// `{"name": …, "valid": …, "example": …}`; `nil` for one of the other kind.
    private static func example(inLine line: Data, valid: Bool) throws -> SchemaExample? {
        guard let marker = line.range(of: Data(#", "example": "#.utf8)), line.last == UInt8(ascii: "}") else {
            throw CocoaError(.fileReadCorruptFile)
        }
        let head = try JSONDecoder().decode(Head.self, from: line[..<marker.lowerBound] + Data("}".utf8))
        return head.valid == valid
            ? SchemaExample(name: head.name, body: Array(line[marker.upperBound...].dropLast())) : nil
    }

    /// The documents after the separators `--- # kind: name`.
    private static func documents(_ table: String, kind: String) -> [SchemaExample] {
        let separator = "--- # "
        var examples: [(kind: Substring, name: Substring, lines: [Substring])] = []
        for line in table.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
            if line.hasPrefix(separator), let colon = line.firstIndex(of: ":") {
                let kind = line[..<colon].dropFirst(separator.count)
                examples.append((kind, line[colon...].dropFirst(2), []))
            } else if !examples.isEmpty {
                examples[examples.count - 1].lines.append(line)
            }
        }
        return examples.filter { $0.kind == kind }
            .map { SchemaExample(name: String($0.name), body: Array(($0.lines + [""]).joined(separator: "\n").utf8)) }
    }
}

extension SchemaExample: CustomStringConvertible {
    package var description: String { name }
}
