import Foundation
import NIOCore
import Testing
import WaybillCompression
import WaybillCore
import WaybillOutbox
import WaybillSettings
import WaybillTestSupport

@testable import WaybillHTTPAPI

/// The operators' page as files: without a store, for anybody.
@Suite(.timeLimit(.minutes(2)))
struct PageTests {
    private func run(_ page: ServeSettings.Page?, _ body: (APIRig.Running) async throws -> Void) async throws {
        let settings = { (port: Int) in ServeSettings(listen: .init(host: "127.0.0.1", port: UInt16(port)), page: page)
        }
        try await APIRig.run(store: APIRig.nowhere, settings: settings, body)
    }

    /// A server at which people have accounts.
    private func runWithAccounts(_ page: ServeSettings.Page?, _ body: (APIRig.Running) async throws -> Void)
        async throws
    {
        let folder = try TemporaryFolder()
        let root = try folder.write("root", String(repeating: "root secret ", count: 4))
        let accounts = AccountSettings(baseURL: "https://push.example.com", roots: .init(file: root))
        let settings = { (port: Int) in
            ServeSettings(listen: .init(host: "127.0.0.1", port: UInt16(port)), page: page, accounts: accounts)
        }
        try await APIRig.run(store: APIRig.nowhere, settings: settings, body)
    }

    private static var assets: URL {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../Sources/WaybillHTTPAPI/Page/Assets").standardized
    }

    @Test func theBinaryCarriesEachFileAsItIs() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.assets.path)
        let embedded = PageFiles.embedded
        #expect(Set(names) == Set(embedded.keys), "Sources/CWaybillPage/page.c lists the files of Page/Assets")
        for name in names {
            let content = try Data(contentsOf: Self.assets.appendingPathComponent(name))
            #expect(embedded[name] == Array(content))
            #expect(PageFiles.type(of: name) != "application/octet-stream")
        }
    }

    @Test func knowsEveryOutcomeAndWebhookEvent() throws {
        func text(_ name: String) throws -> String {
            try String(contentsOf: Self.assets.appendingPathComponent(name), encoding: .utf8)
        }
        let (script, sheet) = (try text("outcomes.js"), try text("page.css"))
        for outcome in Outcome.allCases.map(\.rawValue) {
            #expect(script.contains("    \(outcome): { means: "))
            #expect(sheet.contains("    --o-\(outcome): ") && sheet.contains(".o-\(outcome) { "))
        }
        let webhooks = try text("app-service-webhooks.js")
        for event in WebhookEventType.ofServices { #expect(webhooks.contains("    [\"\(event.rawValue)\", ")) }
    }

    @Test func theShellNamesFilesThatAreThere() async throws {
        try await run(.init()) { rig in
            for path in ["/", "/?q=acme&since=1h"] {
                let shell = try await rig.ask(path)
                #expect(shell.status == 200)
                #expect(shell.type == "text/html; charset=utf-8")
                #expect(shell.headers["cache-control"] == "no-cache")
                #expect(!shell.text.contains("{{"))
                let files = shell.text.matches(of: /"(\/page\/[^"]+)"/).map { String($0.1) }
                #expect(!files.isEmpty)
                for file in files {
                    let answer = try await rig.ask(file)
                    #expect(answer.status == 200)
                    #expect(answer.headers["cache-control"] == "public, max-age=31536000, immutable")
                    #expect(answer.type == PageFiles.type(of: file))
                }
            }
        }
    }

    @Test func peopleHaveAPageWhereTheyHaveAccounts() async throws {
        try await runWithAccounts(.init()) { rig in
            let own = try await rig.ask("/")
            let page = try await rig.ask("/app?view=sign-up")
            #expect(page.status == 200)
            #expect(page.headers["content-security-policy"] == own.headers["content-security-policy"])
            #expect(page.headers["cache-control"] == "no-cache")
            let files = page.text.matches(of: /"(\/page\/[^"]+)"/).map { String($0.1) }
            #expect(files.contains { $0.hasSuffix("/app.js") })
            for file in files { #expect(try await rig.ask(file).status == 200) }
            #expect(try await rig.ask("/app", method: "POST").status == 405)
        }
        try await run(.init()) { rig in
            let answer = try await rig.ask("/app")
            #expect(answer.status == 404)
        }
        try await runWithAccounts(nil) { rig in
            let answer = try await rig.ask("/app")
            #expect(answer.status == 404)
        }
    }

    /// What a script asks of another is there, or a page stands still without a word.
    @Test func scriptsImportWhatIsThere() throws {
        let files = PageFiles(libraries: "/nowhere").files
        for (name, bytes) in PageFiles.embedded where name.hasSuffix(".js") {
            let text = String(decoding: bytes, as: UTF8.self)
            for found in text.matches(of: /import (?:\{([^}]*)\} from )?"\.\/([^"]+)";/) {
                let other = String(found.2)
                guard let file = files[other] else {
                    Issue.record("\(name) imports \(other)")
                    continue
                }
                let exports = String(buffer: file.content)
                for word in (found.1 ?? "").split(separator: ",").map({ $0.trimmingPrefix(" ") }) {
                    let form = try Regex("export (async )?(function|const|class|let) \(word.filter { $0 != " " })\\b")
                    #expect(exports.contains(form), "\(name) imports \(word) of \(other)")
                }
            }
        }
    }

    @Test func aBrowserIsToldWhatThePageIsMadeOf() async throws {
        try await run(.init()) { rig in
            let files = PageFiles(libraries: "/usr/share/javascript")
            for path in ["/", "/page/\(files.hash)/icon.svg"] {
                let headers = try await rig.ask(path).headers
                let policy = try #require(headers["content-security-policy"])
                #expect(policy.hasPrefix("default-src 'none'; script-src 'self'; style-src 'self';"))
                #expect(policy.contains("require-trusted-types-for 'script'"))
                for word in ["unsafe", "data:", "http", "*"] { #expect(!policy.contains(word)) }
                #expect(headers["x-content-type-options"] == "nosniff")
                #expect(headers["referrer-policy"] == "no-referrer")
                #expect(headers["cross-origin-opener-policy"] == "same-origin")
                #expect(headers["cross-origin-resource-policy"] == "same-origin")
                #expect(headers["permissions-policy"]?.contains("camera=()") == true)
                #expect(headers["set-cookie"] == nil)
            }
        }
    }

    @Test func whatABrowserHasIsNotSentAgain() async throws {
        try await run(.init()) { rig in
            let files = PageFiles(libraries: "/usr/share/javascript")
            for path in ["/", "/page/\(files.hash)/icon.svg"] {
                let first = try await rig.ask(path)
                let tag = try #require(first.headers["etag"])
                for known in [tag, "W/\(tag)", "\"a\", \(tag)", "*", " * "] {
                    let again = try await rig.ask(path, headers: ["If-None-Match": known])
                    #expect(again.status == 304)
                    #expect(again.text.isEmpty)
                    #expect(again.headers["etag"] == tag)
                }
                #expect(try await rig.ask(path, headers: ["If-None-Match": "\"a\""]).status == 200)
                let head = try await rig.ask(path, method: "HEAD")
                #expect(head.status == 200)
                #expect(head.text.isEmpty)
                #expect(head.headers["etag"] == tag)
                let other = try await rig.ask(path, method: "POST")
                #expect(other.status == 405)
                #expect(other.headers["allow"] == "GET, HEAD")
            }
        }
    }

    @Test func filesArePackedForWhoTakesThat() async throws {
        let files = PageFiles(libraries: "/usr/share/javascript")
        let sheet = try #require(files.files["page.css"])
        let packed = try #require(sheet.packed)
        #expect(
            try Gzip.inflate(Array(packed.readableBytesView), limit: 1 << 20) == Array(sheet.content.readableBytesView)
        )
        try await run(.init()) { rig in
            for (encodings, isPacked) in [
                ("gzip", true), ("br, gzip;q=0.5", true), ("identity", false), ("gzip;q=0", false),
                ("gzip; q=0.0, br", false),
                ("xgzip", false),
            ] {
                let path = "/page/\(files.hash)/page.css"
                let head = try await rig.ask(path, method: "HEAD", headers: ["Accept-Encoding": encodings])
                let tag = isPacked ? sheet.packedTag : sheet.tag
                #expect(head.headers["content-encoding"] == (isPacked ? "gzip" : nil), "\(encodings)")
                #expect(head.headers["vary"] == "Accept-Encoding")
                #expect(head.headers["etag"] == tag)
                let again = ["Accept-Encoding": encodings, "If-None-Match": tag]
                #expect(try await rig.ask(path, headers: again).status == 304)
            }
        }
    }

    /// What a browser loads before it shows anything, without Chart.js.
    @Test func thePageIsLight() {
        let files = PageFiles(libraries: "/nowhere")
        let sizes = ([files.shell] + files.files.filter { !$0.key.hasPrefix("app") }.values).map {
            ($0.packed ?? $0.content).readableBytes
        }
        #expect(sizes.reduce(0, +) < 150_000)
    }

    @Test func nothingElseIsThere() async throws {
        try await run(.init()) { rig in
            let hash = PageFiles(libraries: "/usr/share/javascript").hash
            let wrong = [
                "/page", "/page/\(hash)", "/page/\(hash)/index.html", "/page/\(hash)/nothing.js", "/page/0000/icon.svg",
                "/page/\(hash)/../../etc/passwd", "/page/\(hash)/%2e%2e%2fpage.c", "/page/\(hash)/icon.svg/a",
                "/icon.svg",
                "/index.html", "/page/\(hash)/app.html", "/app.html",
            ]
            for path in wrong {
                let answer = try await rig.ask(path)
                #expect(answer.status == 404, "\(path)")
                #expect(answer.type == "application/problem+json")
                #expect(answer.headers["cache-control"] == "no-store")
            }
        }
    }

    @Test func withoutChartsTheLogSaysWhatToInstall() async throws {
        let empty = FileManager.default.temporaryDirectory.appendingPathComponent("page-\(UUID())")
        try FileManager.default.createDirectory(
            at: empty.appendingPathComponent("chart.js"),
            withIntermediateDirectories: true
        )
        defer { try? FileManager.default.removeItem(at: empty) }
        let without = PageFiles(libraries: empty.path)
        try await run(.init(libraries: empty.path)) { rig in
            let answer = try await rig.ask("/page/\(without.hash)/chart.js")
            #expect(answer.status == 200)
            #expect(answer.text == "// Chart.js is not installed on this server; Debian: libjs-chart.js\n")
            #expect(rig.lines().count { $0.contains("api.chartsMissing") && $0.contains("libjs-chart.js") } == 1)
        }
        try Data("the charts".utf8).write(to: empty.appendingPathComponent("chart.js/chart.min.js"))
        let with = PageFiles(libraries: empty.path)
        #expect(with.hash != without.hash)
        try await run(.init(libraries: empty.path)) { rig in
            let answer = try await rig.ask("/page/\(with.hash)/chart.js")
            #expect(answer.text == "the charts")
            #expect(try await rig.ask("/page/\(without.hash)/chart.js").status == 404)
            #expect(!rig.lines().contains { $0.contains("api.chartsMissing") })
        }
    }

    @Test func thePageCanBeLeftOut() async throws {
        try await run(nil) { rig in
            let hash = PageFiles(libraries: "/usr/share/javascript").hash
            for path in ["/", "/page/\(hash)/icon.svg"] {
                let answer = try await rig.ask(path)
                #expect(answer.status == 404)
            }
            let line = try #require(rig.lines().first { $0.contains("api.listening") })
            #expect(!line.contains(#""page""#))
        }
    }

    @Test func theLogNamesThePage() async throws {
        try await run(.init()) { rig in
            let line = try #require(rig.lines().first { $0.contains("api.listening") })
            #expect(line.contains(#""page":"http://127.0.0.1:\#(rig.port)/""#))
        }
    }
}
