import Testing
import WaybillAPNS
import WaybillSimulator

/// An answer that no documentation mentions, and what is made of it.
struct OddAnswer: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let answer: SimulatorAnswer
    let result: APNSAnswer

    init(
        _ description: String,
        _ status: Int,
        reason: String? = nil,
        timestamp: SimulatorAnswer.Timestamp = .absent,
        body: String? = nil,
        read: APNSReason? = nil,
        since: Int64? = nil,
        wait: Duration? = nil,
        _ shape: (inout AnswerForm) -> Void = { _ in }
    ) {
        testDescription = description
        var form = AnswerForm()
        shape(&form)
        answer = SimulatorAnswer(status: status, reason: reason, timestamp: timestamp, body: body, form: form)
        result = APNSAnswer(status: status, reason: read, timestamp: since, retryAfter: wait)
    }

    private static let cut = APNSReason(
        rawValue: String("Unregistered\(String(repeating: "x", count: 300))".prefix(200)) + "…"
    )

    static let all: [OddAnswer] = [
        OddAnswer("200 with a body", 200, body: #"{"reason":"Accepted, but"}"#),
        OddAnswer("200 with a megabyte", 200, reason: "x") { $0.bodyBytes = 1 << 20 },
        OddAnswer("201", 201),
        OddAnswer("204", 204),
        OddAnswer("301", 301, body: "<a href=/>"),
        OddAnswer("304", 304),
        OddAnswer("400 without a body", 400),
        OddAnswer("400 with HTML", 400, body: "<html>"),
        OddAnswer("400 with an array", 400, body: #"["BadDeviceToken"]"#),
        OddAnswer("400 with a number as reason", 400, body: #"{"reason":7}"#),
        OddAnswer(
            "400 with a reason of its own",
            400,
            reason: "SomethingNew",
            read: APNSReason(rawValue: "SomethingNew")
        ),
        OddAnswer("400 with an emoji", 400, reason: "no 📦", read: APNSReason(rawValue: "no 📦")),
        OddAnswer("402", 402),
        OddAnswer("410 without a timestamp", 410, reason: "Unregistered", read: .unregistered),
        OddAnswer(
            "410 with a timestamp",
            410,
            reason: "Unregistered",
            timestamp: .at(7),
            read: .unregistered,
            since: 7
        ),
        OddAnswer(
            "410 with a negative one",
            410,
            reason: "Unregistered",
            timestamp: .at(-1),
            read: .unregistered,
            since: -1
        ),
        OddAnswer(
            "410 with text for it",
            410,
            body: #"{"reason":"Unregistered","timestamp":"soon"}"#,
            read: .unregistered
        ),
        OddAnswer("a reason of a megabyte", 410, reason: "Unregistered", read: cut) { $0.bodyBytes = 1 << 20 },
        OddAnswer("418", 418),
        OddAnswer("500 without a body", 500),
        OddAnswer("599", 599, reason: "Odd", read: APNSReason(rawValue: "Odd")),
        OddAnswer("interim answers first", 400, reason: "BadDeviceToken", read: .badDeviceToken) {
            $0.interim = [100, 103, 102]
        },
        OddAnswer("headers in several frames", 400, reason: "BadDeviceToken", read: .badDeviceToken) {
            $0.headerBytes = 40_000
        },
        OddAnswer("a body byte by byte", 400, reason: "BadDeviceToken", read: .badDeviceToken) { $0.pieceSize = 1 },
        OddAnswer("empty frames first", 400, reason: "BadDeviceToken", read: .badDeviceToken) { $0.emptyFrames = 50 },
        OddAnswer("trailers", 400, reason: "BadDeviceToken", read: .badDeviceToken) { $0.hasTrailers = true },
        OddAnswer("trailers behind 200", 200) { $0.hasTrailers = true },
        OddAnswer("200 that asks to wait", 200) { $0.retryAfter = "7" },
        OddAnswer("429 that asks to wait", 429, reason: "TooManyRequests", read: .tooManyRequests, wait: .seconds(7)) {
            $0.retryAfter = "7"
        },
        OddAnswer("503 that names a date and its own", 503, wait: .seconds(30)) {
            $0.retryAfter = "Sun, 06 Nov 1994 08:50:07 GMT"
            $0.date = "Sun, 06 Nov 1994 08:49:37 GMT"
        },
        OddAnswer("503 that names a date long ago", 503, wait: .zero) {
            $0.retryAfter = "Sun, 06 Nov 1994 08:50:07 GMT"
        },
        OddAnswer("503 that asks for a year", 503, wait: .seconds(3600)) { $0.retryAfter = "31536000" },
        OddAnswer("503 that asks for nonsense", 503) { $0.retryAfter = "soon" },
        OddAnswer("503 with a date alone", 503) { $0.date = "Sun, 06 Nov 1994 08:49:37 GMT" },
        OddAnswer("no apns-id", 200) { $0.id = .absent },
        OddAnswer("another apns-id", 200) { $0.id = .other },
    ]
}

@Suite("Answers as odd as the wire allows", .serialized)
struct OddAnswerTests {
    @Test("Each is read as far as it can be, and the connection goes on")
    func table() throws {
        let rehearsal = try Rehearsal { configuration in
            configuration.rules = OddAnswer.all.enumerated().map { position, odd in
                SimulatorRule(tokenPrefix: Self.prefix(position), answer: odd.answer)
            }
        }
        let sender = try Sender([rehearsal.lane()])
        sender.send([Fixture.request(index: 1000)])
        _ = try sender.outcomes(1)
        sender.send(
            OddAnswer.all.indices.map { Fixture.request(index: $0, token: Fixture.token($0, prefix: Self.prefix($0))) }
        )
        let outcomes = try sender.outcomes(OddAnswer.all.count + 1)
        for (odd, outcome) in zip(OddAnswer.all, outcomes) {
            #expect(outcome.result == .answered(odd.result), "\(odd.testDescription)")
            #expect(outcome.attempts == 1)
        }
        #expect(rehearsal.server.statistics.connections.count == 1)
    }

    private static func prefix(_ position: Int) -> String {
        let digits = String(position, radix: 16)
        return "f" + String(repeating: "0", count: 3 - digits.count) + digits
    }

    @Test("An answer ahead of the request's end counts, and the stream ends there")
    func early() throws {
        var rule = SimulatorRule(tokenPrefix: "f0", answer: .documented(.payloadTooLarge))
        rule.isEarly = true
        let rehearsal = try Rehearsal { configuration in
            configuration.rules = [rule]
            // The body cannot leave, so that the answer is certain to come first.
            var connection = SimulatorConnectionRule()
            connection.settings.initialWindowSize = 50
            connection.windows = .withheld
            configuration.connectionRules = [connection]
        }
        let sender = try Sender([rehearsal.lane()])
        sender.send([
            Fixture.request(
                index: 0,
                token: Fixture.token(0, prefix: "f0"),
                payload: #"{"aps":{"alert":"\#(String(repeating: "x", count: 500))"}}"#
            )
        ])
        let outcome = try sender.outcomes(1)[0]
        #expect(outcome.result == .answered(APNSAnswer(status: 413, reason: .payloadTooLarge)))
        sender.send([Fixture.request(index: 1)])
        #expect(try sender.outcomes(2)[1].result == .accepted)
    }

    @Test(
        "A flood of frames that mean nothing is survived: nothing is lost, and the next request finds its way",
        arguments: SimulatorConnectionRule.Flood.Frames.allCases
    )
    func flood(frames: SimulatorConnectionRule.Flood.Frames) throws {
        let rehearsal = try Rehearsal { configuration in
            var rule = SimulatorConnectionRule(times: 1)
            rule.flood = SimulatorConnectionRule.Flood(frames, count: 5000, after: max(2, frames.earliest))
            configuration.connectionRules = [rule]
        }
        var lane = try rehearsal.lane()
        lane.deadlines.request = .seconds(5)
        let sender = try Sender([lane])
        for index in 0..<20 {
            sender.send([Fixture.request(index: index, resendsUnknown: true)])
            let outcome = try sender.outcomes(index + 1)[index]
            #expect(outcome.result == .accepted)
            #expect(outcome.attempts <= 2)
        }
    }
}
