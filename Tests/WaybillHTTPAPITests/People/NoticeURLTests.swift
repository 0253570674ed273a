import Foundation
import Testing

@testable import WaybillHTTPAPI

struct NoticeURLTests {
    @Test(arguments: [
        "https://example.com", "HTTP://example.com/a?b#c", "https://[2001:db8::1]/", "https://example.com:8443/x",
        "waybill://confirm", "com.example.parcels:/order/7", "myapp:order", "mailto:ada@example.com", "tel:+431234",
        "slack://channel?id=1", "web+parcels:7",
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
