import Testing

@testable import WaybillHTTPAPI

struct QueryTextTests {
    @Test func namesAndValuesAreDecoded() throws {
        let query = try QueryText("a=1&b=x%20y+z&c=p,q&c=r", allowing: ["a", "b", "c", "d"])
        #expect(try query.value("a") == "1")
        #expect(try query.value("b") == "x y z")
        #expect(try query.value("d") == nil)
        #expect(try query.list("c") == ["p", "q", "r"])
        #expect(try QueryText(nil, allowing: []).value("a") == nil)
    }

    @Test(arguments: ["x=1", "a=%", "a=%00", "a=%ff", "%61%62=1"])
    func whatIsNotKnownOrCannotBeReadIsRefused(text: String) {
        #expect(throws: Problem.self) { try QueryText(text, allowing: ["a"]) }
    }

    @Test(
        arguments: [
            ("clinet=a", "the parameter clinet is not known here: client? known: client, since"),
            ("nonsense=a", "the parameter nonsense is not known here; known: client, since"),
            ("00fc13ad=a", "a parameter is not known here; known: client, since"),
            ("wbk_live_0123=a", "a parameter is not known here; known: client, since"),
            ("client=", "client has no value; leave it out, or say one"),
            ("client=a&client=b", "client is there more than once"),
        ]
    )
    func whatIsWrongIsNamed(text: String, words: String) {
        do throws(Problem) {
            _ = try QueryText(text, allowing: ["client", "since"]).value("client")
            Issue.record("it is taken")
        } catch {
            #expect(error.detail == words)
        }
    }

    @Test(arguments: ["a=", "a=,", "a=x,", "a=,x", "a=x,,y", "a=x&a=", "a"])
    func aListHasNoEmptyValue(text: String) throws {
        let query = try QueryText(text, allowing: ["a"])
        #expect(throws: Problem.self) { try query.list("a") }
    }

    @Test(arguments: ["a=1&a=2", "a=", "a"])
    func oneValueIsOneValue(text: String) throws {
        let query = try QueryText(text, allowing: ["a"])
        #expect(throws: Problem.self) { try query.value("a") }
    }
}
