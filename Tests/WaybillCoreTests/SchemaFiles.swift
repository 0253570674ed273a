import Foundation

/// The examples and vectors that `scripts/check-schemas.py` holds against the schemas.
enum SchemaFiles {
    static let directory = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "schemas")

    /// One example; named by its file.
    struct Example {
        let name: String
        let body: [UInt8]
    }

    static func examples(_ schema: String, _ kind: String) throws -> [Example] {
        let folder = directory.appending(path: "examples/\(schema)/\(kind)")
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        return try files.filter { $0.pathExtension == "json" }.sorted { $0.path < $1.path }
            .map { Example(name: $0.deletingPathExtension().lastPathComponent, body: Array(try Data(contentsOf: $0))) }
    }

    static func vectors<Vector: Decodable>(_ type: Vector.Type) throws -> Vector {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try decoder.decode(type, from: Data(contentsOf: directory.appending(path: "test-vectors.json")))
    }

    static func text(_ name: String) throws -> String {
        try String(contentsOf: directory.appending(path: name), encoding: .utf8)
    }
}
