import Foundation
import Testing

@Suite("The comparisons with other clients")
struct ComparisonTests {
    static let pages = [
        "Sources/WaybillAPNS/WaybillAPNS.docc/ComparedWithOtherClients.md",
        "Sources/WaybillFCM/WaybillFCM.docc/ComparedWithOtherSenders.md",
    ]

    /// A row of an article's table.
    struct Row: CustomTestStringConvertible {
        let page: String
        let cells: [String]

        var testDescription: String { cells[0] }
        var label: String { cells[0] }
        /// What stands in our own column.
        var ours: String { cells[1] }

        /// The rows, without the heads of groups.
        static var all: [Row] {
            get throws {
                try ComparisonTests.pages.flatMap(rows).filter {
                    !$0.label.hasPrefix("**") && $0.label != "behaviour"
                }
            }
        }

        private static func rows(of page: String) throws -> [Row] {
            try Document.read(page).lines.filter { $0.hasPrefix("| ") }.map { line in
                let cells = line.dropFirst().dropLast().components(separatedBy: "|")
                return Row(page: page, cells: cells.map { $0.trimmingCharacters(in: .whitespaces) })
            }
        }
    }

    /// An entry of the article's list: which test proves a row.
    struct Proof: CustomTestStringConvertible {
        let label: String
        let file: String
        let title: String

        var testDescription: String { label }

        static func all(of page: String) throws -> [Proof] {
            var items: [String] = []
            for line in try Document.read(page).lines {
                if line.hasPrefix("- ") {
                    items.append(String(line.dropFirst(2)))
                } else if line.hasPrefix("  "), let last = items.popLast() {
                    items.append(last + line.dropFirst(1))
                }
            }
            return items.compactMap { item in
                guard let match = try? /(.+): `(\w+)`, \*(.+)\*/.wholeMatch(in: item) else { return nil }
                return Proof(label: String(match.1), file: String(match.2), title: String(match.3))
            }
        }
    }

    /// The files of tests of a name; several modules may have one each.
    private static func testFiles(named name: String) throws -> [String] {
        try Document.files(below: "Tests", ending: "/\(name).swift")
    }

    private static let words: Set = ["yes", "part", "no", "lib", "?"]

    @Test("No cell is empty, and each holds a word of the legend", arguments: try Row.all)
    func cells(row: Row) throws {
        #expect(row.cells.count == 8)
        for cell in row.cells.dropFirst(2) {
            let word = cell.filter { !"⁰¹²³⁴⁵⁶⁷⁸⁹".contains($0) }
            #expect(Self.words.contains(word), "\(row.label): \(cell)")
            #expect(word != "part" || word != cell, "\(row.label): \(cell) needs its note")
        }
        #expect(row.ours == "no" || row.ours.wholeMatch(of: /`\w+Tests`/) != nil, "\(row.label): \(row.ours)")
    }

    @Test("Each row is proved by a test that stands in the sources", arguments: try Row.all)
    func proved(row: Row) throws {
        guard row.ours != "no" else { return }
        let proof = try #require(
            Proof.all(of: row.page).first { $0.label == row.label },
            "the list has no \(row.label)"
        )
        #expect(row.ours == "`\(proof.file)`")
        let paths = try Self.testFiles(named: proof.file)
        #expect(!paths.isEmpty, "there is no test file \(proof.file)")
        let source = try paths.flatMap { try Document.read($0).lines }
        // A test without a title goes by its function's name.
        let isFunction = proof.title.hasSuffix(":)")
        let needle = isFunction ? "func \(proof.title.prefix { $0 != "(" })(" : "\"\(proof.title)\""
        #expect(source.contains { $0.contains(needle) }, "\(proof.file) has no test “\(proof.title)”")
    }

    @Test("The list of tests has no entry that the table lacks", arguments: zip(pages, [50, 20]))
    func complete(page: String, least: Int) throws {
        let rows = try Row.all.filter { $0.page == page }
        #expect(rows.count > least)
        let labels = Set(rows.map(\.label))
        for proof in try Proof.all(of: page) { #expect(labels.contains(proof.label), "\(proof.label)") }
    }

    @Test("Each note is used, and each mark has its note", arguments: pages)
    func notes(page: String) throws {
        let lines = try Document.read(page).lines
        let digits = /[⁰¹²³⁴⁵⁶⁷⁸⁹]+/
        func marks(_ lines: [String]) -> Set<String> {
            Set(lines.flatMap { $0.matches(of: digits).map { String($0.0) } })
        }
        let table = lines.filter { $0.hasPrefix("|") }
        let below = Array(lines[(lines.lastIndex { $0.hasPrefix("|") } ?? 0)...].dropFirst())
        #expect(!marks(table).isEmpty)
        #expect(marks(table) == marks(below))
    }
}
