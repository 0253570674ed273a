import Foundation
import Testing

@Suite("The code in the documentation")
struct SampleCodeTests {
    @Test(
        "Every Swift block is compiled: it stands, line by line, in a sample or in the example package",
        arguments: try Document.blocks(in: "swift")
    )
    func isCompiled(block: CodeBlock) throws {
        #expect(
            try CompiledCode().file(holding: block.lines) != nil,
            "\(block.testDescription) is not compiled:\n\(block.text)"
        )
    }

    @Test("Every block says what it is, and nothing is exempt", arguments: try Document.allBlocks)
    func languages(block: CodeBlock) {
        #expect(
            ["swift", "sh", "json", "text"].contains(block.language),
            "\(block.testDescription): \(block.language)"
        )
    }

    @Test("A line that is missing, or stands elsewhere, is noticed")
    func control() throws {
        let code = try CompiledCode()
        let sound = [
            "import WaybillAPNS", "", "    notification.collapseID = \"parcel-7\"", "notification.onUnknown = .resend",
        ]
        #expect(code.file(holding: sound) != nil)
        #expect(code.file(holding: sound.reversed()) == nil)
        #expect(code.file(holding: sound + ["notification.gone = 1"]) == nil)
        #expect(code.file(holding: ["import Nowhere"] + sound) == nil)
        #expect(code.file(holding: ["import WaybillAPNS"]) == nil)
    }

    @Test("Every document has blocks, so that none is overlooked")
    func found() throws {
        let documents = try Document.all.filter { !$0.name.contains("/ComparedWith") }
        #expect(documents.count == 21)
        for document in documents { #expect(!document.blocks.isEmpty, "\(document.name)") }
    }

    @Test(
        "Every option and every file of the simulator that the articles name exists",
        arguments: [
            "Sources/WaybillAPNS/WaybillAPNS.docc/TestWithTheSimulator.md",
            "Sources/WaybillFCM/WaybillFCM.docc/TestAgainstTheSimulator.md",
        ]
    )
    func simulator(article: String) throws {
        let sources = try Document.files(below: "Sources/apns-simulator", ending: ".swift")
            .map { try Document.read($0).lines.joined(separator: "\n") }.joined()
        let text = try Document.read(article).lines.joined(separator: "\n")
        let options = Set(text.matches(of: /--([a-z][a-z-]+)/).map { String($0.1) })
            .subtracting(["product", "help"])  // of `swift build`, and of every program
        #expect(options.count >= 8)
        for option in options {
            let words = option.split(separator: "-")
            let name = words.dropFirst().reduce(String(words[0])) { $0 + $1.capitalized }
            let isOption =
                sources.contains("\"\(option)\"") || sources.contains("var \(name)")
                || sources.contains("var \(name.replacingOccurrences(of: "Id", with: "ID"))")
            #expect(isOption, "--\(option)")
        }
        for match in text.matches(of: /`([a-z0-9.\/-]+\.json)`/) {
            let places = ["", "schemas/rehearsals/"].map { Document.root.appending(path: $0 + match.1).path }
            #expect(places.contains { FileManager.default.fileExists(atPath: $0) }, "\(match.1)")
        }
    }

    @Test("The packages to install are those that the build installs, and no more than the library needs")
    func packages() throws {
        let script = try Document.read("scripts/install.sh").lines.joined(separator: "\n")
        let commands = try Document.blocks(in: "sh").flatMap(\.lines).filter { $0.hasPrefix("apt-get install ") }
        #expect(!commands.isEmpty)
        for command in commands {
            let packages = command.split(separator: " ").dropFirst(2)
            #expect(Set(packages) == ["libnghttp2-dev", "libssl-dev", "pkg-config"])
            for package in packages { #expect(script.contains(package)) }
        }
    }
}
