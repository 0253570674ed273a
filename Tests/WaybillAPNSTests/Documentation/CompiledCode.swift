import Foundation

/// The lines of Swift files that some build compiles, without indentation and empty lines.
struct CompiledCode {
    private struct File {
        let name: String
        let imports: Set<String>
        let code: [String]
    }

    private let files: [File]

    /// The samples of both libraries, which this build compiles, and the example packages, which `scripts/example.sh`
    /// builds.
    init() throws {
        let samples = try ["WaybillAPNSTests", "WaybillFCMTests"].flatMap {
            try Document.files(below: "Tests/\($0)/Documentation/Samples", ending: ".swift")
        }
        let example = try Document.files(below: "Examples", ending: ".swift")
        files = try (samples + example).map { path in
            let lines = Self.significant(try Document.read(path).lines)
            return File(
                name: path,
                imports: Set(lines.filter(Self.isImport)),
                code: lines.filter { !Self.isImport($0) }
            )
        }
    }

    /// Where the lines of a block stand, one after the other; its imports may stand anywhere in the same file.
    func file(holding block: [String]) -> String? {
        let lines = Self.significant(block)
        let imports = lines.filter(Self.isImport)
        let code = lines.filter { !Self.isImport($0) }
        guard !code.isEmpty else { return nil }
        return files.first { $0.imports.isSuperset(of: imports) && $0.code.contains(code) }?.name
    }

    private static func isImport(_ line: String) -> Bool { line.hasPrefix("import ") }

    /// The outsider's folder stands beside the repository, the example's inside it.
    private static func significant(_ lines: [String]) -> [String] {
        lines.map {
            $0.trimmingCharacters(in: .whitespaces)
                .replacingOccurrences(of: #"path: "../..""#, with: #"path: "../waybill""#)
        }
        .filter { !$0.isEmpty }
    }
}
