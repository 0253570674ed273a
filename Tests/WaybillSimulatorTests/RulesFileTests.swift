import Testing
import WaybillSimulator

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

    @Test func readsTheFormOfAnAnswer() throws {
        let text =
            #""reason":"Forbidden","interim":[100,103],"apns_id":"other","headers_bytes":9,"body_bytes":20,"#
            + #""retry_after":30,"date":"Sun, 06 Nov 1994 08:49:37 GMT","#
            + #""split":3,"empty_data":2,"trailers":true,"close_after_answer":true,"early":true,"jitter_ms":5"#
        var form = AnswerForm()
        form.interim = [100, 103]
        form.id = .other
        form.retryAfter = "30"
        form.date = "Sun, 06 Nov 1994 08:49:37 GMT"
        form.headerBytes = 9
        form.bodyBytes = 20
        form.pieceSize = 3
        form.emptyFrames = 2
        form.hasTrailers = true
        let rule = try rule(text)
        #expect(rule.answer == SimulatorAnswer(status: 403, reason: "Forbidden", form: form))
        #expect(rule.fault == .closeAfterAnswer)
        #expect(rule.isEarly)
        #expect(rule.jitter == .milliseconds(5))
    }

    @Test func aRateRefusesWithItsOwnReason() throws {
        #expect(try rule(#""per_minute":5"#).answer == .documented(.tooManyRequests))
        #expect(try rule(#""per_minute":5"#).perMinute == 5)
        #expect(try rule(#""per_minute":5,"status":503"#).answer == SimulatorAnswer(status: 503))
        #expect(try rule(#""per_minute":5,"silence":true"#).fault == .silence)
    }

    @Test func readsResets() throws {
        #expect(try rule(#""reset":7"#).fault == .reset(.refusedStream))
        #expect(try rule(#""reset":4294967295"#).fault == .reset(HTTP2ErrorCode(rawValue: .max)))
        #expect(
            try rule(#""reset":"CANCEL","reset_after":"headers","status":400"#).fault
                == .reset(.cancel, after: .headers)
        )
        #expect(try rule(#""reset":"CANCEL","reset_after":"answer","body":"x""#).answer.body == "x")
    }

    @Test func readsGoAways() throws {
        let text =
            #""goaway":{"last_stream":"this","close_ms":9,"debug_bytes":99,"reason":"Shutdown","#
            + #""again":{"after_ms":3,"last_stream":"this","error_code":2,"reason":"Again"}}"#
        var goAway = SimulatorGoAway(reason: "Shutdown", lastStream: .this, closesAfter: .milliseconds(9))
        goAway.debugData = .padded(to: 99)
        goAway.second = .init(
            after: .milliseconds(3),
            lastStream: .this,
            errorCode: .internalError,
            reason: "Again"
        )
        #expect(try rule(text).fault == .goAway(goAway))
        var graceful = SimulatorGoAway(lastStream: .graceful)
        graceful.graceful = .milliseconds(5)
        graceful.debugData = .text("x")
        #expect(
            try rule(#""goaway":{"last_stream":"graceful","then_ms":5,"debug_data":"x"}"#).fault == .goAway(graceful)
        )
    }

    @Test(arguments: [
        (#"{"rules":[{"token_prefix":"a","colour":1}]}"#, "rules[0].colour"),
        (#"{"rules":[{"token_prefix":"a"},{"status":200}]}"#, "rules[1].token_prefix"),
        (#"{"rules":[{"token_prefix":"xyz"}]}"#, "rules[0].token_prefix"),
        (#"{"rules":[{"path_prefix":"4"}]}"#, "rules[0].path_prefix"),
        (#"{"rules":[{"path_prefix":"/4/","token_prefix":"a"}]}"#, "rules[0].token_prefix"),
        (#"{"rules":[{"path_prefix":"/4/","early":true}]}"#, "rules[0].early"),
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
        (#"{"rules":[{"token_prefix":"a","silence":true,"trailers":true}]}"#, "rules[0]"),
        (#"{"rules":[{"token_prefix":"a","close":true,"close_after_answer":true}]}"#, "rules[0]"),
        (#"{"rules":[{"token_prefix":"a","reset_after":"answer"}]}"#, "rules[0].reset_after"),
        (#"{"rules":[{"token_prefix":"a","reset":1,"reset_after":"body"}]}"#, "rules[0].reset_after"),
        (#"{"rules":[{"token_prefix":"a","reset":1,"reset_after":"headers","split":1}]}"#, "rules[0].split"),
        (#"{"rules":[{"token_prefix":"a","reset":-1}]}"#, "rules[0].reset"),
        (#"{"rules":[{"token_prefix":"a","interim":[100,200]}]}"#, "rules[0].interim[1]"),
        (#"{"rules":[{"token_prefix":"a","interim":100}]}"#, "rules[0].interim"),
        (#"{"rules":[{"token_prefix":"a","apns_id":"none"}]}"#, "rules[0].apns_id"),
        (#"{"rules":[{"token_prefix":"a","body_bytes":9,"body":"x"}]}"#, "rules[0].body_bytes"),
        (#"{"rules":[{"token_prefix":"a","headers_bytes":100000}]}"#, "rules[0].headers_bytes"),
        (#"{"rules":[{"token_prefix":"a","per_minute":-1}]}"#, "rules[0].per_minute"),
        (#"{"rules":[{"token_prefix":"a","goaway":{"close":true,"close_ms":1}}]}"#, "rules[0].goaway.close_ms"),
        (#"{"rules":[{"token_prefix":"a","goaway":{"then_ms":1}}]}"#, "rules[0].goaway.then_ms"),
        (#"{"rules":[{"token_prefix":"a","goaway":{"close":true,"again":{}}}]}"#, "rules[0].goaway.again"),
        (#"{"rules":[{"token_prefix":"a","goaway":{"last_stream":"graceful","again":{}}}]}"#, "rules[0].goaway.again"),
        (
            #"{"rules":[{"token_prefix":"a","goaway":{"last_stream":"graceful","close":true}}]}"#,
            "rules[0].goaway.close"
        ),
        (
            #"{"rules":[{"token_prefix":"a","goaway":{"again":{"last_stream":"none"}}}]}"#,
            "rules[0].goaway.again.last_stream"
        ),
        (
            #"{"rules":[{"token_prefix":"a","goaway":{"debug_data":"x","debug_bytes":1}}]}"#,
            "rules[0].goaway.debug_bytes"
        ),
        (#"{"provider_tokens":{"reason_for_all":"Unregistered"}}"#, "provider_tokens.reason_for_all"),
        (#"{"provider_tokens":{"maximum_age_s":0}}"#, "provider_tokens.maximum_age_s"),
        (#"{"provider_tokens":{"age":0}}"#, "provider_tokens.age"),
        (#"{"streams":{"regular":0}}"#, "streams.regular"),
        (#"{"streams":[]}"#, "streams"),
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

    @Test func readsWhatHoldsForAllConnections() throws {
        let text = #"""
            {"provider_tokens": {"minimum_update_interval_s": 1200, "maximum_age_s": 60, "expired_token_sticks": true,
             "together": true, "reason_for_all": "ExpiredProviderToken"},
             "streams": {"initial": 2, "regular": 9, "falls_after_refusal": true}}
            """#
        var configuration = SimulatorConfiguration(certificateFile: "", privateKeyFile: "", authentication: .none)
        try RulesFile.parse(Array(text.utf8)).apply(to: &configuration)
        #expect(configuration.tokenPolicy.minimumUpdateInterval == .seconds(1200))
        #expect(configuration.tokenPolicy.maximumAge == .seconds(60))
        #expect(configuration.tokenPolicy.expiredTokenSticks)
        #expect(configuration.tokenPolicy.countsTogether)
        #expect(configuration.tokenPolicy.reasonForAll == .expiredProviderToken)
        #expect(configuration.initialStreamLimit == 2)
        #expect(configuration.streamLimit == 9)
        #expect(configuration.streamLimitFallsAfterRefusal)
        try RulesFile.parse(Array(#"{"rules":[]}"#.utf8)).apply(to: &configuration)
        #expect(configuration.streamLimit == 9)
        #expect(configuration.tokenPolicy.maximumAge == .seconds(60))
    }

    @Test func readsTheExampleInTheRepository() throws {
        let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        let rules = try RulesFile.read("/\(root)/schemas/simulator-rules.example.json")
        #expect(rules.requests.count == 20)
        #expect(rules.connections.count == 2)
    }
}
