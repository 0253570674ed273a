import Foundation

/// The inputs that are kept for a target: the fuzzers' own, and the examples of the schemas.
enum KeptInputs {
    struct Input {
        let name: String
        let bytes: [UInt8]
    }

    private static let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    private static let corpus = tests.appending(path: "Corpus")
    private static let examples = tests.deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "schemas/examples")

    static func of(_ target: FuzzTarget) throws -> [Input] {
        var inputs = try files(corpus.appending(path: target.name))
        if let name = target.examples {
            for kind in ["valid", "invalid"] { inputs += try files(examples.appending(path: "\(name)/\(kind)")) }
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
