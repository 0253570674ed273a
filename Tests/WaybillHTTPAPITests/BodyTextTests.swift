import HTTPTypes
import Hummingbird
import NIOCore
import Testing

@testable import WaybillHTTPAPI

/// What is read of bodies, and what is said of all that is wrong with one.
struct BodyTextTests {
    private func pointers(_ body: String, _ read: (BodyText) throws(Problem) -> Void) -> [String] {
        do throws(Problem) {
            try read(
                try BodyText(
                    Array(body.utf8),
                    allowing: ["name", "list", "flag", "other"],
                    lists: ["list"],
                    flags: ["flag"],
                    others: ["other"]
                )
            )
            return []
        } catch {
            return error.errors.map(\.pointer)
        }
    }

    @Test(
        arguments: [
            (#"{"name": "a", "list": ["b"], "flag": true, "other": 1}"#, []),
            (#"{"name": "", "list": "b", "flag": 1, "x": 2}"#, ["#/name", "#/list", "#/flag", "#/x"]),
            (#"{"name": "a", "name": "b", "list": [1]}"#, ["#/name", "#/list"]),
            (#"{"name": "\ud83d", "flag": null}"#, ["#/name", "#/flag"]),
            (#"{"flag": 0}"#, ["#/flag", "#/name"]),
        ]
    )
    func allFaultsComeWithThoseOfTheRoute(body: String, expected: [String]) {
        let found = pointers(body) { body throws(Problem) in
            _ = try body.form { body, checks in
                checks.read("name") { () throws(Problem) in try body.text("name") }
            }
        }
        #expect(found == expected)
    }

    /// Whoever sends thousands of members gets no answer that is larger than what they have sent.
    @Test func soManyFaultsAreTold() {
        let body = "{\((0..<5000).map { "\"\(String($0, radix: 36))x\": 1" }.joined(separator: ", "))}"
        #expect(pointers(body) { body throws(Problem) in _ = try body.value("name") }.count <= BodyMembers.mostFaults)
        do throws(Problem) {
            let typed = try TypedBody(Array(body.utf8), allowing: ["name"])
            #expect(typed.faults.count == BodyMembers.mostFaults)
        } catch {
            Issue.record("it is an object")
        }
    }

    /// Of two members each reader takes the one that it likes.
    @Test(
        arguments: [
            (#"{"data": {"a": 1, "b": {"a": [{}, {}]}}}"#, nil), (#"{"data": {"a": 1, "a": 2}}"#, "data has a twice"),
            (#"{"data": {"b": [{"a": 1, "a": 2}]}}"#, "data has b.a twice"),
        ] as [(String, String?)]
    )
    func noNameIsTwiceInAnObject(body: String, detail: String?) throws {
        let body = try TypedBody(Array(body.utf8), allowing: ["data"])
        do throws(Problem) {
            let data = try body.object("data")
            #expect(data != nil && detail == nil)
        } catch {
            #expect(error.errors.map(\.pointer) == ["#/data"] && error.detail == detail)
        }
    }

    @Test(arguments: [
        (#"{"name": "a",}"#, "the body is not JSON: unexpected character at byte 13"),
        (#"{"name": "a""#, "the body is not JSON: the JSON ends too early, at byte 12"),
        ("{} x", "the body is not JSON: more text after the end of the JSON at byte 3"),
        ("[]", "the body must be a JSON object"),
        (#"{"name": "a\u0000"}"#, "name must not hold the character U+0000"),
        (#"{"name": 1}"#, "name must be a text that is not empty"),
    ])
    func namesMistakeAndByte(body: String, detail: String) {
        do throws(Problem) {
            _ = try BodyText(Array(body.utf8), allowing: ["name"]).value("name")
            Issue.record("the body is taken")
        } catch {
            #expect(error.detail == detail)
        }
    }

    /// Whatever a route asks for: a body with a fault says nothing.
    @Test func noMemberIsReadOfABodyThatIsWrong() {
        let body = #"{"name": "a", "flag": "yes"}"#
        #expect(pointers(body) { body throws(Problem) in _ = try body.value("name") } == ["#/flag"])
        #expect(pointers(body) { body throws(Problem) in _ = try body.text("name") } == ["#/flag"])
        #expect(pointers(body) { body throws(Problem) in _ = try body.form { _, _ in 1 } } == ["#/flag"])
    }

    @Test(
        arguments: [
            ("application/json", nil), ("Application/JSON ; Charset=UTF-8", nil),
            (#"application/json; charset="utf-8""#, nil), ("application/json; charset=utf8; x=y", nil),
            (
                "application/json;charset=iso-8859-1",
                "a body is JSON in UTF-8 here, and this says the charset iso-8859-1"
            ),
            ("application/json; x=y; charset=UTF-16", "a body is JSON in UTF-8 here, and this says the charset utf-16"),
            (
                "application/json; charset=wbk_live_0123456789abcdef",
                "a body is JSON in UTF-8 here, and this says another charset"
            ),
            ("text/plain; charset=utf-8", "a body is JSON here: Content-Type: application/json"),
            ("application/jsonx", "a body is JSON here: Content-Type: application/json"),
            ("", "a body is JSON here: Content-Type: application/json"),
        ] as [(String, String?)]
    )
    func aBodySaysThatItIsJSONInUTF8(type: String, refusal: String?) {
        var head = HTTPRequest(method: .post, scheme: nil, authority: nil, path: "/v1/session")
        head.headerFields[.contentType] = type
        let request = Request(head: head, body: RequestBody(buffer: ByteBuffer()))
        do throws(Problem) {
            try JSONMediaType.require(request)
            #expect(refusal == nil)
        } catch {
            #expect(error.status == .unsupportedMediaType && error.detail == refusal)
        }
    }
}
