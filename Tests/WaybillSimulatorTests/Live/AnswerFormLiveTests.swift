import Testing
import WaybillHTTP2
import WaybillSimulator

/// Answers as odd as the wire allows.
@Suite struct AnswerFormLiveTests {
    func answer(
        _ answer: SimulatorAnswer = .accepted,
        fault: SimulatorFault? = nil,
        _ form: (inout AnswerForm) -> Void
    ) throws -> (TestClient, TestClient.Answer, Int32) {
        var answer = answer
        var shape = AnswerForm()
        form(&shape)
        answer.form = shape
        let simulation = try Simulation { configuration, _ in
            configuration.rules = [SimulatorRule(tokenPrefix: "0d", answer: answer, fault: fault)]
        }
        let client = try simulation.connect()
        let id = "123e4567-e89b-12d3-a456-42665544000a"
        let stream = try client.send(simulation.push("0d").with { $0.id = id })
        try client.run { client.answers[stream]?.isComplete == true || client.closed[stream] != nil }
        #expect(simulation.server.statistics.protocolErrors == 0)
        return (client, client.answers[stream] ?? .init(), stream)
    }

    @Test func interimAnswersGoAhead() throws {
        let (_, answer, _) = try answer { $0.interim = [100, 103, 199] }
        #expect(answer.statuses == [100, 103, 199, 200])
        #expect(answer.isComplete)
    }

    @Test(arguments: [SimulatorAnswer.accepted, .documented(.badDeviceToken)])
    func trailersEndTheAnswer(decided: SimulatorAnswer) throws {
        let (_, answer, _) = try answer(decided) { $0.hasTrailers = true }
        #expect(answer.status == decided.status)
        #expect(answer.body == String(decoding: decided.bodyBytes(now: 0), as: UTF8.self))
        #expect(answer.trailers == ["x-simulator-trailer": "the end"])
    }

    @Test func asksToWait() throws {
        let (_, answer, _) = try answer(.documented(.serviceUnavailable)) {
            $0.retryAfter = "120"
            $0.date = "Sun, 06 Nov 1994 08:49:37 GMT"
        }
        #expect(answer.status == 503)
        #expect(answer.headers["retry-after"] == "120")
        #expect(answer.headers["date"] == "Sun, 06 Nov 1994 08:49:37 GMT")
    }

    @Test func aReasonOfAMegabyte() throws {
        let (_, answer, _) = try answer(.documented(.badDeviceToken)) { $0.bodyBytes = 1 << 20 }
        #expect(answer.body.utf8.count == 1 << 20)
        #expect(answer.body.hasPrefix(#"{"reason":"BadDeviceTokenxxx"#))
        #expect(answer.body.hasSuffix(#"xxx"}"#))
    }

    @Test func headersOverSeveralFrames() throws {
        let (client, answer, stream) = try answer { $0.headerBytes = 50_000 }
        #expect(answer.status == 200)
        #expect(answer.headers["x-simulator-padding"]?.utf8.count == 50_000)
        #expect(client.count(TestClient.Frame.continuation, onStream: stream) >= 3)
    }

    @Test func aBodyInPieces() throws {
        let (client, answer, stream) = try answer(.documented(.badDeviceToken)) { $0.pieceSize = 5 }
        #expect(answer.body == #"{"reason":"BadDeviceToken"}"#)
        let pieces = client.frames.filter { $0.type == TestClient.Frame.data && $0.stream == stream }.map(\.length)
        #expect(pieces == [5, 5, 5, 5, 5, 2])
    }

    @Test func emptyFramesAhead() throws {
        let (client, answer, stream) = try answer(.documented(.badDeviceToken)) { form in
            form.emptyFrames = 10
            form.hasTrailers = true
        }
        #expect(answer.body == #"{"reason":"BadDeviceToken"}"#)
        #expect(answer.trailers.count == 1)
        #expect(client.frames.count { $0.type == TestClient.Frame.data && $0.stream == stream && $0.length == 0 } == 10)
    }

    @Test func noIDAndAnother() throws {
        #expect(try answer { $0.id = .absent }.1.headers == [:])
        let other = try answer { $0.id = .other }.1.headers["apns-id"]
        #expect(other?.utf8.count == 36)
        #expect(other != "123e4567-e89b-12d3-a456-42665544000a")
    }

    @Test func aResetBehindTheHeaders() throws {
        let fault = SimulatorFault.reset(.internalError, after: .headers)
        let (client, answer, stream) = try answer(.documented(.badDeviceToken), fault: fault) { _ in }
        #expect(answer.status == 400)
        #expect(answer.body == "")
        #expect(!answer.isComplete)
        #expect(client.closed[stream] == HTTP2ErrorCode.internalError.rawValue)
    }

    @Test func redirectsAndOddStatuses() throws {
        #expect(try answer(SimulatorAnswer(status: 301, body: "<html>")) { _ in }.1.body == "<html>")
        #expect(try answer(SimulatorAnswer(status: 200, body: "{}")) { _ in }.1.body == "{}")
        #expect(
            try answer(SimulatorAnswer(status: 410, reason: "Unregistered")) { _ in }.1.body
                == #"{"reason":"Unregistered"}"#
        )
    }
}

/// What else a rule may do with a request.
@Suite struct RequestRuleLiveTests {
    func simulation(_ rules: [SimulatorRule]) throws -> (Simulation, TestClient) {
        let simulation = try Simulation { configuration, _ in configuration.rules = rules }
        let client = try simulation.connect()
        _ = try client.answer(to: simulation.push())
        try client.run { client.streamLimit == 1000 }
        return (simulation, client)
    }

    @Test func anEarlyAnswerDoesNotWaitForTheBody() throws {
        var rule = SimulatorRule(tokenPrefix: "ea", answer: .documented(.payloadTooLarge))
        rule.isEarly = true
        let (simulation, client) = try simulation([rule])
        // Larger than the window of its stream: only an early answer can end it.
        let large = String(repeating: "x", count: 1 << 20)
        let stream = try client.send(simulation.push("ea").with { $0.payload = large })
        try client.run { client.answers[stream]?.isComplete == true }
        #expect(client.answers[stream]?.status == 413)
        #expect(simulation.server.recordedRequests.last?.payload == [])
        #expect(simulation.server.statistics.requests == 2)
    }

    @Test func anEarlyAnswerMayBeFollowedByAReset() throws {
        var rule = SimulatorRule(
            tokenPrefix: "ea",
            answer: .documented(.payloadTooLarge),
            fault: .reset(.noError, after: .answer)
        )
        rule.isEarly = true
        let (simulation, client) = try simulation([rule])
        let large = String(repeating: "x", count: 1 << 20)
        let stream = try client.send(simulation.push("ea").with { $0.payload = large })
        try client.run { client.closed[stream] != nil }
        #expect(client.answers[stream]?.status == 413)
        #expect(client.answers[stream]?.isComplete == true)
        #expect(client.closed[stream] == 0)
    }

    @Test func anotherRuleStillSeesTheWholeRequest() throws {
        var early = SimulatorRule(tokenPrefix: "ea")
        early.isEarly = true
        let once = SimulatorRule(tokenPrefix: "bb", answer: .documented(.serviceUnavailable), times: 1)
        let (simulation, client) = try simulation([early, once])
        #expect(try client.answer(to: simulation.push("bb").with { $0.payload = "" }).status == 400)
        #expect(try client.answer(to: simulation.push("bb")).status == 503)
        #expect(try client.answer(to: simulation.push("bb")).status == 200)
        #expect(try client.answer(to: simulation.push("ea")).status == 200)
    }

    @Test func closesBehindTheAnswer() throws {
        let (simulation, client) = try simulation([SimulatorRule(tokenPrefix: "c1", fault: .closeAfterAnswer)])
        let stream = try client.send(simulation.push("c1"))
        try client.run { client.isDisconnected }
        #expect(client.answers[stream]?.status == 200)
        #expect(client.goAways.isEmpty)
        #expect(client.endedInOrder)
    }

    @Test func tooManyForOneToken() throws {
        let rule = SimulatorRule(tokenPrefix: "", answer: .documented(.tooManyRequests), perMinute: 2)
        let (simulation, client) = try simulation([rule])
        let statuses = try (0..<4).map { _ in try client.answer(to: simulation.push("77")).status }
        #expect(statuses == [200, 200, 429, 429])
        #expect(try client.answer(to: simulation.push("78")).status == 200)
    }

    @Test func headerListsHaveALimit() throws {
        let (simulation, client) = try simulation([])
        let name: StaticString = "apns-novelty"
        let small = simulation.push().with { $0.others = [(name, String(repeating: "x", count: 6000))] }
        #expect(try client.answer(to: small).status == 200)
        let stream = try client.send(
            simulation.push().with { $0.others = [(name, String(repeating: "x", count: 8000))] }
        )
        try client.run { client.closed[stream] != nil }
        #expect(client.closed[stream] == HTTP2ErrorCode.protocolError.rawValue)
        #expect(try client.answer(to: small).status == 200)
        let statistics = simulation.server.statistics
        #expect(statistics.oversizedHeaderLists == 1)
        #expect(statistics.malformedRequests == 0)
        #expect(statistics.requests == 3)
    }
}
