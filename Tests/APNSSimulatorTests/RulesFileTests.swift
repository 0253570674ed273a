import APNSSimulator
import Testing

@Suite struct RulesFileTests {
    func rule(_ members: String) throws -> SimulatorRule {
        let rules = try RulesFile.parse(Array(#"{"rules":[{"token_prefix":"AB",\#(members)}]}"#.utf8))
        return try #require(rules.requests.first)
    }

    @Test func aDocumentedReasonBringsItsStatus() throws {
        #expect(
            try rule(#""reason":"TooManyRequests""#).answer == SimulatorAnswer(status: 429, reason: "TooManyRequests")
        )
        #expect(try rule(#""reason":"Unregistered""#).answer.timestamp == .now)
        #expect(try rule(#""reason":"Unregistered","timestamp":5"#).answer.timestamp == .at(5))
        #expect(try rule(#""reason":"Unregistered","timestamp":null"#).answer.timestamp == .absent)
        #expect(try rule(#""status":500,"reason":"New""#).answer == SimulatorAnswer(status: 500, reason: "New"))
        #expect(try rule(#""status":500"#).answer == SimulatorAnswer(status: 500))
        #expect(try rule(#""times":1"#).answer == .accepted)
    }

    @Test func readsEveryMember() throws {
        let rule = try rule(
            #""status":418,"body":"x","delay_ms":1500,"times":3,"probability":0.25,"max_concurrent_streams":7"#
        )
        var expected = SimulatorRule(
            tokenPrefix: "ab",
            answer: SimulatorAnswer(status: 418, body: "x"),
            delay: .milliseconds(1500),
            maxConcurrentStreams: 7,
            times: 3
        )
        expected.probability = 0.25
        #expect(rule == expected)
    }

    @Test func readsFaults() throws {
        #expect(try rule(#""reset":"ENHANCE_YOUR_CALM""#).fault == .reset(HTTP2ErrorCode(rawValue: 11)))
        #expect(try rule(#""silence":true"#).fault == .silence)
        #expect(try rule(#""silence":false"#).fault == nil)
        #expect(try rule(#""close":true"#).fault == .close)
        #expect(try rule(#""goaway":{}"#).fault == .goAway(SimulatorGoAway()))
        let full = #""goaway":{"reason":"Shutdown","error_code":"INTERNAL_ERROR","last_stream":"none","close":true}"#
        let expected = SimulatorGoAway(errorCode: .internalError, reason: "Shutdown", lastStream: .none, closes: true)
        #expect(try rule(full).fault == .goAway(expected))
        #expect(try rule(#""goaway":{},"reason":"Shutdown""#).answer.status == 503)
    }

    @Test(arguments: [
        (#"{"rules":[{"token_prefix":"a","colour":1}]}"#, "rules[0].colour"),
        (#"{"rules":[{"token_prefix":"a"},{"status":200}]}"#, "rules[1].token_prefix"),
        (#"{"rules":[{"token_prefix":"xyz"}]}"#, "rules[0].token_prefix"),
        (#"{"rules":[{"token_prefix":"a","reason":"Novel"}]}"#, "rules[0].status"),
        (#"{"rules":[{"token_prefix":"a","status":"200"}]}"#, "rules[0].status"),
        (#"{"rules":[{"token_prefix":"a","status":99}]}"#, "rules[0].status"),
        (#"{"rules":[{"token_prefix":"a","status":410,"timestamp":"x"}]}"#, "rules[0].timestamp"),
        (#"{"rules":[{"token_prefix":"a","times":0}]}"#, "rules[0].times"),
        (#"{"rules":[{"token_prefix":"a","probability":0}]}"#, "rules[0].probability"),
        (#"{"rules":[{"token_prefix":"a","probability":1.5}]}"#, "rules[0].probability"),
        (#"{"rules":[{"token_prefix":"a","delay_ms":-1}]}"#, "rules[0].delay_ms"),
        (#"{"rules":[{"token_prefix":"a","reset":"OOPS"}]}"#, "rules[0].reset"),
        (#"{"rules":[{"token_prefix":"a","silence":1}]}"#, "rules[0].silence"),
        (#"{"rules":[{"token_prefix":"a","silence":true,"close":true}]}"#, "rules[0]"),
        (#"{"rules":[{"token_prefix":"a","silence":true,"status":200}]}"#, "rules[0]"),
        (#"{"rules":[{"token_prefix":"a","goaway":{"last_stream":"none"},"status":200}]}"#, "rules[0]"),
        (#"{"rules":[{"token_prefix":"a","goaway":{"last_stream":"some"}}]}"#, "rules[0].goaway.last_stream"),
        (#"{"rules":[{"token_prefix":"a","goaway":{"when":1}}]}"#, "rules[0].goaway.when"),
        (#"{"rules":[1]}"#, "rules[0]"),
        (#"{"rules":{}}"#, "rules"),
        (#"{"rules":[],"version":1}"#, "version"),
        (#"{}"#, ""),
        (#"[]"#, ""),
        (#"{"rules":["#, ""),
    ])
    func namesWhatIsWrong(text: String, path: String) {
        let error = #expect(throws: RulesFileError.self) { try RulesFile.parse(Array(text.utf8)) }
        #expect(error?.path == path)
    }

    @Test func readsTheExampleInTheRepository() throws {
        let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        let rules = try RulesFile.read("/\(root)/schemas/simulator-rules.example.json")
        #expect(rules.requests.count == 16)
    }
}
