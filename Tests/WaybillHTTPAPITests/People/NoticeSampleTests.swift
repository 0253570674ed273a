import Foundation
import Testing
import WaybillAccounts
import WaybillMongo
import WaybillTelemetry
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

    /// What must be corrected is asked once, and the reason goes to standard error.
    @Test(.enabled(if: NoticeRig.isPossible), .timeLimit(.minutes(2)))
    func theyAskOnceWhatIsRefused() async throws {
        try await NoticeRig.run(testLane: nil) { rig in
            let base = "http://127.0.0.1:\(rig.api.port)"
            let cases = [
                ("wrong key", KeySecret.generate(mode: .live).reveal(), "x"),
                ("too long", try rig.key([.notify]), String(repeating: "x", count: 4000)),
                ("no lane for test keys", try rig.key([.notify], kind: .test), "x"),
            ]
            for (program, language) in Self.languages where ForeignProgram.isThere(program[0]) {
                for (what, key, body) in cases {
                    let before = Self.refused(rig)
                    let answer = try Self.run(program + [Self.path("notify.\(language)"), base, what, body], key: key)
                    #expect(answer.status != 0 && answer.text.isEmpty, "\(language), \(what): \(answer.text)")
                    try await NoticeRig.until { Self.refused(rig) > before }
                    #expect(Self.refused(rig) == before + 1, "\(language), \(what)")
                }
            }
            #expect(try rig.api.documents("notifications").isEmpty)
            let testKey = cases[2].1
            let answer = try await rig.send(testKey, ["level": "warning", "body": "x"])
            #expect(answer.status == 403 && answer.headers["retry-after"] == nil)
            #expect((answer.json["detail"] as? String)?.contains("has no serve.accounts.services.test_lane") == true)
            let command = [BuiltPrograms.path("waybill"), "notify", "--apiurl", base, "--body", "x"]
            #expect(try Self.run(command, key: testKey).status == 77)
        }
    }

    /// How many requests to send something were refused.
    private static func refused(_ rig: NoticeRig) -> Double {
        rig.api.counted("waybill_api_requests_total", ["route": "/v1/notifications", "status": "4xx"]) ?? 0
    }

    /// What may pass is asked again, after the pause that the server names, if it names one; each time it is the same request.
    @Test(.enabled(if: ForeignProgram.isThere("python3")), .timeLimit(.minutes(2)))
    func theShellAsksAgainWhatMayPass() throws {
        let folder = try TemporaryFolder()
        let server = try folder.write("server.py", Self.serverThatComesAround)
        let answer = try Self.run(["python3", server, Self.path("notify.sh")], key: "key")
        let lines = answer.text.split(separator: "\n").map(String.init)
        #expect(lines.first == #"0 {"id": "n-1"}"#, "\(answer.text)")
        let said = #"Bearer key "n" {"level": "warning", "body": "say \"no\""}"#
        #expect(Array(lines.dropFirst()) == Array(repeating: said, count: 5), "\(answer.text)")
    }

    /// Answers in turn, the second time not at all, runs a sample meanwhile, and says how it ended and what was asked.
    private static let serverThatComesAround = #"""
        from http.server import BaseHTTPRequestHandler, HTTPServer
        from subprocess import PIPE, run
        from sys import argv
        from threading import Thread
        answers = [(409, "0"), None, (429, "Wed, 21 Oct 2026 07:28:00 GMT"), (503, "0"), (202, None)]
        asked = []
        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                asked.append(f'{self.headers["Authorization"]} {self.headers["Idempotency-Key"]} {body}')
                answer = answers[len(asked) - 1]
                if answer is None:
                    self.close_connection = True
                    return
                self.send_response(answer[0])
                if answer[1]: self.send_header("Retry-After", answer[1])
                said = b'{"id": "n-1"}' if answer[0] == 202 else b'{"detail": "later"}'
                self.send_header("Content-Length", str(len(said)))
                self.end_headers()
                self.wfile.write(said)
            def log_message(self, *_): pass
        server = HTTPServer(("127.0.0.1", 0), Handler)
        Thread(target=server.serve_forever, daemon=True).start()
        base = f"http://127.0.0.1:{server.server_port}"
        ran = run(["sh", argv[1], base, "n", 'say "no"'], stdout=PIPE, text=True)
        print(ran.returncode, ran.stdout)
        print(*asked, sep="\n")
        """#

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
            #expect(answer.text == "\(try #require(stored["_id"]?.string))\n")

            // Its scope does not reach so far, and a key that nobody knows not at all.
            #expect(try Self.run(command + ["critical"], key: key).status == 77)
            let unknown = try Self.run(command + ["info"], key: KeySecret.generate(mode: .live).reveal())
            #expect(unknown.status == 77)
            #expect(unknown.text.isEmpty)
            // Under the thesis' name it says all of it where the thesis' program does.
            let folder = try TemporaryFolder()
            let link = "\(folder.path)/notifire-cli"
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: command[0])
            let refused = try Self.run([link] + command[2...] + ["info"], key: KeySecret.generate(mode: .live).reveal())
            #expect(refused.status == 77 && refused.text.hasPrefix("Sending notification.\nError: "), "\(refused.text)")
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
