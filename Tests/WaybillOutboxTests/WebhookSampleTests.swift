import Foundation
import Testing
import WaybillTestSupport

@testable import WaybillOutbox

/// The samples of docs/operations/webhooks.md, by which receivers tell what is genuine.
@Suite("Samples for receivers of webhooks")
struct WebhookSampleTests {
    /// A language, and what stands around its sample to make a program of it.
    ///
    /// The program gets a body, then for each delivery its id, its time, its signatures and the receiver's secret, and prints for each
    /// `true` or `false`.
    struct Language: CustomTestStringConvertible {
        let name: String
        /// The file that is run, and what runs it.
        let file: String
        let program: [String]
        var head = ""
        let tail: String

        var testDescription: String { name }
    }

    static let languages = [
        Language(
            name: "python",
            file: "sample.py",
            program: ["python3"],
            tail: """
                from sys import argv
                _, body, *rest = argv
                while rest:
                    id, time_, signature, secret, *rest = rest
                    headers = {"webhook-id": id, "webhook-timestamp": time_, "webhook-signature": signature}
                    print(str(is_genuine(headers, body.encode(), secret)).lower())
                """
        ),
        Language(
            name: "javascript",
            file: "sample.mjs",
            program: ["node"],
            tail: """
                const [body, ...rest] = process.argv.slice(2);
                while (rest.length) {
                  const [id, time, signature, secret] = rest.splice(0, 4);
                  const headers = { "webhook-id": id, "webhook-timestamp": time, "webhook-signature": signature };
                  console.log(isGenuine(headers, Buffer.from(body), secret));
                }
                """
        ),
        Language(
            name: "go",
            file: "sample.go",
            program: ["go", "run"],
            head: """
                package main

                import (
                	"crypto/hmac"
                	"crypto/sha256"
                	"encoding/base64"
                	"fmt"
                	"net/http"
                	"os"
                	"strconv"
                	"strings"
                	"time"
                )

                """,
            tail: """
                func main() {
                	body, rest := []byte(os.Args[1]), os.Args[2:]
                	for ; len(rest) > 0; rest = rest[4:] {
                		h := http.Header{}
                		for i, name := range []string{"webhook-id", "webhook-timestamp", "webhook-signature"} {
                			h.Set(name, rest[i])
                		}
                		fmt.Println(isGenuine(h, body, rest[3]))
                	}
                }
                """
        ),
        Language(
            name: "ruby",
            file: "sample.rb",
            program: ["ruby"],
            tail: """
                body, *rest = ARGV
                rest.each_slice(4) do |id, time, signature, secret|
                  headers = { "webhook-id" => id, "webhook-timestamp" => time, "webhook-signature" => signature }
                  puts genuine?(headers, body, secret)
                end
                """
        ),
    ]

    @Test func noLanguageIsLeftOut() {
        let there = Set(Self.languages.map { $0.program[0] }.filter(ForeignProgram.isThere))
        // Two others have no sample there.
        #expect(there.isSuperset(of: ForeignProgram.expected.subtracting(["sh", "swift"])))
    }

    /// Those whose language is on this machine; scripts/samples.sh installs what is missing.
    @Test(arguments: languages.filter { ForeignProgram.isThere($0.program[0]) })
    func aSampleTellsWhatIsGenuine(language: Language) throws {
        let (secret, other) = (WebhookSecret.generate(), WebhookSecret.generate())
        let now = Int64(Date().timeIntervalSince1970)
        let body = #"{"type":"notification.accepted","data":{"text":"Größe"}}"#
        func delivery(_ time: Int64, _ signers: [WebhookSecret], body: String = body, shown: Int64? = nil) -> [String] {
            let signatures = signers.map { $0.sign(id: "msg_1", timestamp: time, body: Array(body.utf8)) }
            return ["msg_1", "\(shown ?? time)", signatures.joined(separator: " "), secret.reveal()]
        }
        let deliveries: [(words: [String], isGenuine: Bool)] = [
            (delivery(now, [secret]), true), (delivery(now, [other, secret]), true), (delivery(now, [other]), false),
            (delivery(now, []), false), (delivery(now, [secret], body: body + " "), false),
            (delivery(now - 100, [secret]), true), (delivery(now - 1000, [secret]), false),
            (delivery(now + 1000, [secret]), false), (delivery(now - 1000, [secret], shown: now), false),
        ]
        let folder = try TemporaryFolder()
        let sample = try #require(try Self.sample(in: language.name))
        let file = try folder.write(language.file, "\(language.head)\(sample)\n\(language.tail)\n")
        let answer = try ForeignProgram.run(language.program + [file, body] + deliveries.flatMap { $0.words })
        #expect(answer.status == 0)
        #expect(answer.text.split(separator: "\n").map { $0 == "true" } == deliveries.map { $0.isGenuine })
    }

    /// What the page has in a language.
    private static func sample(in language: String) throws -> String? {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../..")
        let page = root.appendingPathComponent("docs/operations/webhooks.md").standardized
        let parts = try String(contentsOf: page, encoding: .utf8).components(separatedBy: "```\(language)\n")
        return parts.count == 2 ? parts[1].components(separatedBy: "\n```").first : nil
    }
}
