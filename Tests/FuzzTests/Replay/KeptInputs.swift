import Foundation
import WaybillTestSupport

/// The inputs that are kept for a target: the fuzzers' own, and the examples of the schemas.
enum KeptInputs {
    struct Input {
        let name: String
        let bytes: [UInt8]
    }

    private static let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    private static let corpus = tests.appending(path: "Corpus")

    static func of(_ target: FuzzTarget) throws -> [Input] {
        var inputs = try files(corpus.appending(path: target.name))
        if let name = target.examples {
            for valid in [true, false] {
                inputs += try SchemaExample.all(of: name, valid: valid).map { Input(name: $0.name, bytes: $0.body) }
            }
        }
        return inputs
    }

    /// The targets that have a folder.
    static func folders() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: corpus.path)
    }

    private static func files(_ folder: URL) throws -> [Input] {
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        return try files.sorted { $0.path < $1.path }
            .map { Input(name: $0.lastPathComponent, bytes: Array(try Data(contentsOf: $0))) }
    }
}
