import Foundation
import Testing

/// A page for people, whose claims the tests hold against the sources.
struct Document: Sendable {
    let name: String
    let lines: [String]

    /// The repository's folder.
    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// The articles of both libraries' catalogues.
    static var articles: [Document] {
        get throws {
            let catalogues = ["Sources/WaybillAPNS/WaybillAPNS.docc", "Sources/WaybillFCM/WaybillFCM.docc"]
            return try catalogues.flatMap { try files(below: $0, ending: ".md") }.map(read)
        }
    }

    /// The part of the README that is about the library.
    static var librarySection: Document {
        get throws {
            let readme = try read("README.md")
            let start = readme.lines.firstIndex(of: "## The Swift library") ?? readme.lines.endIndex
            let rest = readme.lines[start...].dropFirst()
            let end = rest.firstIndex { $0.hasPrefix("## ") } ?? readme.lines.endIndex
            // The lines before it stay, empty, so that numbers are those of the file.
            let before = Array(repeating: "", count: start)
            return Document(name: readme.name, lines: before + readme.lines[start..<end])
        }
    }

    /// Everything whose code has to be compiled somewhere.
    static var all: [Document] {
        get throws {
            let examples = ["Examples/send-notification/README.md", "Examples/send-message/README.md"]
            return try articles + [librarySection] + examples.map(read)
        }
    }

    static func read(_ path: String) throws -> Document {
        let text = try String(contentsOf: root.appending(path: path), encoding: .utf8)
        return Document(name: path, lines: text.components(separatedBy: "\n"))
    }

    /// The files of a folder and of those in it, by their paths in the repository.
    static func files(below folder: String, ending: String) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: root.appending(path: folder).resolvingSymlinksInPath().path)
            .filter { $0.hasSuffix(ending) && !$0.contains(".build/") }.sorted().map { "\(folder)/\($0)" }
    }
}

/// A fenced block of a document.
struct CodeBlock: CustomTestStringConvertible, Sendable {
    let document: String
    /// The number of its first line in the document.
    let line: Int
    /// What stands behind the fence: the language, and nothing else.
    let language: String
    let lines: [String]

    var testDescription: String { "\(document):\(line)" }
    var text: String { lines.joined(separator: "\n") }
}

extension Document {
    /// The fenced blocks, in order.
    var blocks: [CodeBlock] {
        var blocks: [CodeBlock] = []
        var open: (language: String, start: Int)?
        for (number, line) in lines.enumerated() where line.hasPrefix("```") {
            if let (language, start) = open {
                blocks.append(
                    CodeBlock(
                        document: name,
                        line: start + 2,
                        language: language,
                        lines: Array(lines[(start + 1)..<number])
                    )
                )
                open = nil
            } else {
                open = (String(line.dropFirst(3)), number)
            }
        }
        return blocks
    }

    /// Every block of every document.
    static var allBlocks: [CodeBlock] {
        get throws { try all.flatMap(\.blocks) }
    }

    /// The blocks of every document in one language.
    static func blocks(in language: String) throws -> [CodeBlock] {
        try allBlocks.filter { $0.language == language }
    }
}
