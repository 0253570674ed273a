import Foundation
import Testing
import WaybillAccounts
import WaybillMongo
import WaybillTestSupport

@testable import WaybillHTTPAPI

/// The samples of docs/notify.md.
struct NoticeSampleTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../..").standardized
    private static let languages = [
        (["sh"], "sh"), (["python3"], "py"), (["node"], "mjs"), (["swift"], "swift"), (["go", "run"], "go"),
    ]
    /// What a body may have that JSON writes otherwise.
    private static let awkward = "say \"no\" \\ \tand\n%s Ω"

    private static func path(_ name: String) -> String {
        root.appendingPathComponent("Examples/notify-http/\(name)").path
    }

    @Test func thePageHasTheFiles() throws {
        let page = try String(contentsOf: Self.root.appendingPathComponent("docs/notify.md"), encoding: .utf8)
        for (_, language) in Self.languages {
            for name in ["notify.\(language)", "status.\(language)"] {
                #expect(page.contains(try String(contentsOfFile: Self.path(name), encoding: .utf8)), "\(name)")
            }
        }
    }

    /// Those whose language is on this machine; scripts/samples.sh installs what is missing.
    @Test(.enabled(if: NoticeRig.isPossible), .timeLimit(.minutes(2)))
    func theyNotify() async throws {
        try await NoticeRig.run { rig in
            let key = try rig.key([.notify, .read])
            let base = "http://127.0.0.1:\(rig.api.port)"
            var ran: Set<String> = []
            for (program, language) in Self.languages where ForeignProgram.isThere(program[0]) {
                let (name, body) = ("notify.\(language)", "By \(language): \(Self.awkward)")
                let answer = try Self.run(program + [Self.path(name), base, name, body], key: key)
                #expect(answer.status == 0, "\(name): \(answer.text)")
                ran.insert(program[0])
                let stored = try rig.api.documents("notifications").first { $0["body"]?.string == body }
                let id = try #require(stored?["_id"]?.string, "\(name)")
                #expect(answer.text.contains(id))
                // Ada wants no warnings: it is for nobody's device.
                try await NoticeRig.until {
                    try rig.api.documents("notifications").allSatisfy { $0["state"]?.string == "sent" }
                }
                let status = try Self.run(program + [Self.path("status.\(language)"), base, id], key: key)
                #expect(status.status == 0 && status.text.contains("no_device"), "\(language): \(status.text)")
            }
            // Ruby has no sample there.
            #expect(ran.isSuperset(of: ForeignProgram.expected.subtracting(["ruby"])))
            #expect(try rig.api.documents("notifications").count == ran.count)
        }
    }

    @Test(.enabled(if: NoticeRig.isPossible), .timeLimit(.minutes(2)))
    func theCommandNotifies() async throws {
        try await NoticeRig.run { rig in
            let key = try rig.key([.notify])
            let command = [
                BuiltPrograms.path("waybill"), "notify",
                "--apiurl", "http://127.0.0.1:\(rig.api.port)", "--body", "Disk full", "--level",
            ]
            let answer = try Self.run(command + ["warning"], key: key)
            #expect(answer.status == 0)
            let stored = try #require(try rig.api.documents("notifications").first)
            #expect(stored["body"]?.string == "Disk full")
            #expect(answer.text == "Sending notification.\nSuccess! \(try #require(stored["_id"]?.string))\n")

            // Its scope does not reach so far, and a key that nobody knows not at all.
            #expect(try Self.run(command + ["critical"], key: key).status == 77)
            let unknown = try Self.run(command + ["info"], key: KeySecret.generate(mode: .live).reveal())
            #expect(unknown.status == 77)
            #expect(unknown.text.hasPrefix("Sending notification.\nError: "))
            // One with a slip in it is told so before anybody is asked.
            let mistyped = try Self.run(command + ["info"], key: String(key.dropLast(4)) + "0000")
            #expect(mistyped.status == 64)
            #expect(mistyped.text.isEmpty)
            #expect(try rig.api.documents("notifications").count == 1)
        }
    }

    private static func run(_ arguments: [String], key: String) throws -> (status: Int32, text: String) {
        try ForeignProgram.run(arguments, environment: ["WAYBILL_KEY": key, "NOTIFIRE_KEY": key])
    }
}
