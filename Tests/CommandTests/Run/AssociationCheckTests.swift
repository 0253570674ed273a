import Testing
import WaybillSettings
import WaybillTransfer

@testable import waybill

/// How what is served at the association file's address is judged.
@Suite struct AssociationCheckTests {
    private static let app = "ABCDE12345.com.example.parcels"
    private static let good =
        #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.parcels"],"components":[{"/":"/account/confirm/*"}]}]},"webcredentials":{"apps":["ABCDE12345.com.example.parcels"]}}"#

    private func finding(_ status: Int, _ type: String?, _ body: String) -> Finding {
        AssociationCheck.judge(
            TransferResponse(status: status, body: Array(body.utf8), contentType: type),
            url: "https://push.example.com/.well-known/apple-app-site-association",
            apps: [Self.app]
        )
    }

    @Test func whatApplesServersTakeIsGoodAndSaysWhatIsNotProved() {
        let found = finding(200, "application/json; charset=utf-8", Self.good)
        #expect(found.severity == .ok)
        #expect(found.message.contains("cannot be seen from here"))
        #expect(found.message.contains("/a/v1/push.example.com "))
    }

    @Test(
        arguments: [
            (301, "application/json", good, "redirect (301)"), (404, "text/html", "", "status 404"),
            (200, "text/html", good, "type text/html"), (200, nil, good, "type nothing"),
            (200, "application/json", "[]", "no JSON object"),
            (200, "application/json", "{}", "it has no ABCDE12345.com.example.parcels that opens"),
            (
                200, "application/json", good.replacing("/account/confirm/", with: "/other/"),
                "it has no ABCDE12345.com.example.parcels that opens"
            ),
            (
                200, "application/json",
                good.replacing(#""appIDs":["#, with: #""appIDs":["ZZZZZ12345.com.example.other","#),
                "it has ZZZZZ12345.com.example.other, which is not configured"
            ),
        ] as [(Int, String?, String, String)]
    )
    func whatIsWrongIsSaid(status: Int, type: String?, body: String, words: String) {
        let found = finding(status, type, body)
        #expect(found.severity == .warning)
        #expect(found.message.contains(words), "\(found.message)")
        #expect(found.advice != nil)
    }
}
