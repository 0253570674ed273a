import Foundation
import Testing
import WaybillTLS

struct CertificateInfoTests {
    private let authority: TestAuthority

    init() throws {
        authority = try TestAuthority()
    }

    @Test(arguments: [0, 2, 30_000])
    func subjectAndEndAreThoseThatTheCommandShows(days: Int) throws {
        let subject = "/UID=com.example.app/CN=Apple Push Services: com.example.app/C=US"
        try authority.issue("push", names: "DNS:push", days: days, subject: subject)
        let shown = try authority.openssl(
            ["x509", "-in", authority.path("push.pem"), "-noout", "-enddate", "-dateopt", "iso_8601"]
        )
        let text = String(String(decoding: shown, as: UTF8.self).dropFirst("notAfter=".count).dropLast())
        let end = try #require(ISO8601DateFormatter().date(from: text.replacingOccurrences(of: " ", with: "T")))
        let info = try authority.identity("push").certificateInfo()
        #expect(info.commonName == "Apple Push Services: com.example.app")
        #expect(info.userID == "com.example.app")
        #expect(Double(info.notAfter) == end.timeIntervalSince1970)
    }

    @Test func aSubjectWithoutTheAttributesHasNone() throws {
        try authority.issue("bare", names: "DNS:bare", subject: "/O=Example")
        let info = try authority.identity("bare").certificateInfo()
        #expect(info.commonName == nil)
        #expect(info.userID == nil)
    }
}
