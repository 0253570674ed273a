import Foundation
import Testing

@testable import WaybillHTTPAPI

struct NoticeURLTests {
    @Test(arguments: [
        "https://example.com", "HTTP://example.com/a?b#c", "https://[2001:db8::1]/", "https://example.com:8443/x",
        "waybill://confirm", "com.example.parcels:/order/7", "myapp:order", "mailto:ada@example.com", "tel:+431234",
        "slack://channel?id=1", "web+parcels:7", "myapp://open?u=https://example.com/", "myapp:/open?javascript:1",
        "myapp:order:7", "spotify:track:4uLU6hMCjMI75M1A2tKUQC", "geo:48.2,16.4", "sip:ada:x@example.com",
        "https://example.com/?u=https://example.org/", "https://example.com:", "https://example.com.:443",
        "https://ada:pw@example.com/", "https://192.0.2.1/", "https://[::ffff:192.0.2.1]:8443?x",
        "https://xn--e1afmkfd.example/", "https://a_b.example/", "https://example.com/%C2%85x",
        "https://example.com/{a}|b\\c",
    ])
    func whatLeadsSomewhereIsTaken(url: String) {
        #expect(NoticeURL.problem(url) == nil)
    }

    @Test(arguments: [
        "javascript:alert(1)", "JavaScript:alert(1)", "view-source:javascript:1", "View-Source:https://example.com",
        "blob:https://example.com/x", "filesystem:https://example.com/x", "intent:#Intent;scheme=x;end",
        "intent://x#Intent;end", "android-app://com.example", "data:text/html,x", "vbscript:x", "file:///etc/passwd",
        "content://com.example/x", "jar:https://example.com/a!/b", "about:blank", "chrome://settings",
        "x-javascript:1", "javascript.x:1", "feed:javascript:1", "itms-services://?action=download-manifest",
        "https:", "https://", "https:example.com", "https:///path", "https://:80", "https://@x", "http:\\\\example.com",
        "example.com", "/path", "é:x", "myapp:", ":x", "1a:x", "my app:x", "my\u{7F}app:x",
        "https://example.com/\u{85}x", "https://example.com/\u{3000}x", "https://example.com/\u{A0}",
        "https://exa\u{202E}moc.elpm/", "https://\u{200B}", "https://ex\u{430}mple.com/", "https://example.com/é",
        "myapp://x/\u{200B}", "https://[::1", "https://[::1]x", "https://[]", "https://[::g]",
        "https://[fe80::1%25eth0]/",
        "https://[v1.x]/", "https://::1/", "https://exa%E2%80%AEmple.com/", "https://./", "https://-_/", "https://?x",
        "https://example.com:x", "https://example.com:65536", "https://example.com:-1",
        "https://example.com\\@example.org/", "https://a@b@example.com/", "https://a@", "https://a@:80",
        "https://exa<mple.com",
        "microsoft-edge:https://x", "Microsoft-Edge:example.com", "myapp:https://example.com", "myapp:HTTP:x",
        "myapp://https://x", "myapp:///https://x", "myapp:other-app://x", "myapp:javascript:1", "myapp:/VBScript:1",
    ])
    func whatDoesNotIsRefused(url: String) {
        let problem = NoticeURL.problem(url)
        #expect(problem != nil)
        #expect(problem?.contains("alert") != true)
    }

    @Test func theDocumentNamesAllThatAreRefused() throws {
        var root = URL(filePath: #filePath)
        for _ in 0..<4 { root.deleteLastPathComponent() }
        let text = try String(contentsOf: root.appending(path: "docs/notify.md"), encoding: .utf8)
        for scheme in NoticeURL.refused { #expect(text.contains("`\(scheme)`"), "\(scheme)") }
    }
}
