import Testing
import WaybillSimulator
import WaybillThreads

@Suite struct AnswerLiveTests {
    @Test func acceptsAndEchoesTheID() throws {
        let simulation = try Simulation()
        let client = try simulation.connect()
        let id = "123E4567-E89B-12D3-A456-42665544000A"
        let answer = try client.answer(to: simulation.push().with { $0.id = id })
        #expect(answer.status == 200)
        #expect(answer.body == "")
        #expect(answer.headers == ["apns-id": id])
    }

    @Test func makesAnIDWhereThereIsNone() throws {
        let simulation = try Simulation { configuration, _ in configuration.isSandbox = true }
        let client = try simulation.connect()
        let first = try client.answer(to: simulation.push())
        let second = try client.answer(to: simulation.push().with { $0.id = "no-uuid" })
        #expect(first.headers["apns-id"]?.utf8.count == 36)
        #expect(first.headers["apns-unique-id"]?.utf8.count == 36)
        #expect(second.body == #"{"reason":"BadMessageId"}"#)
        #expect(second.headers["apns-id"]?.utf8.count == 36)
        #expect(second.headers["apns-id"] != first.headers["apns-id"])
    }

    /// One wrong request for each reason that the validation can find, all on one connection.
    @Test func everyReasonOnTheWire() throws {
        let simulation = try Simulation()
        let stranger = try SimulatorCredentials.generate()
        let now = WallClock.milliseconds() / 1000
        let expired = try simulation.credentials.providerToken(issuedAt: now - 3700)
        let forged = try stranger.providerToken(issuedAt: now)
        let large = "{\"x\":\"" + String(repeating: "x", count: 5000) + "\"}"
        let good = simulation.push()
        let cases: [(Push, DocumentedReason)] = [
            (good.with { $0.method = "GET" }, .methodNotAllowed),
            (good.with { $0.path = "/4/broadcasts" }, .badPath),
            (good.with { $0.path = "/3/device/" }, .missingDeviceToken),
            (good.with { $0.path = "/3/device/abc" }, .badDeviceToken),
            (good.with { $0.authorization = nil }, .missingProviderToken),
            (good.with { $0.authorization = "bearer x.y.z" }, .invalidProviderToken),
            (good.with { $0.authorization = "bearer \(forged)" }, .invalidProviderToken),
            (good.with { $0.authorization = "bearer \(expired)" }, .expiredProviderToken),
            (good.with { $0.others = [("apns-topic", Simulation.topic)] }, .duplicateHeaders),
            (good.with { $0.id = "1" }, .badMessageID),
            (good.with { $0.others = [("apns-expiration", "soon")] }, .badExpirationDate),
            (good.with { $0.others = [("apns-priority", "3")] }, .badPriority),
            (good.with { $0.others = [("apns-collapse-id", String(repeating: "c", count: 65))] }, .badCollapseID),
            (good.with { $0.topic = nil }, .missingTopic),
            (good.with { $0.topic = "not a topic" }, .badTopic),
            (good.with { $0.topic = "com.example.other" }, .topicDisallowed),
            (good.with { $0.pushType = "shout" }, .invalidPushType),
            (good.with { $0.payload = "" }, .payloadEmpty),
            (good.with { $0.payload = large }, .payloadTooLarge),
        ]
        let client = try simulation.connect()
        for (push, reason) in cases {
            let answer = try client.answer(to: push)
            #expect(answer.status == reason.status, "\(reason)")
            #expect(answer.body == "{\"reason\":\"\(reason.rawValue)\"}", "\(reason)")
            #expect(simulation.server.statistics.count(status: reason.status, reason: reason.rawValue) >= 1)
        }
        #expect(try client.answer(to: good).status == 200)
        #expect(simulation.server.statistics.requests == cases.count + 1)
    }

    @Test func refusesASecondTokenTooSoon() throws {
        let simulation = try Simulation { configuration, _ in
            configuration.tokenPolicy.minimumUpdateInterval = .seconds(1200)
        }
        let client = try simulation.connect()
        #expect(try client.answer(to: simulation.push()).status == 200)
        let second = try simulation.credentials.providerToken(issuedAt: WallClock.milliseconds() / 1000 - 5)
        let answer = try client.answer(to: simulation.push().with { $0.authorization = "bearer \(second)" })
        #expect(answer.status == 429)
        #expect(answer.body == #"{"reason":"TooManyProviderTokenUpdates"}"#)
        let other = try simulation.connect()
        #expect(try other.answer(to: simulation.push().with { $0.authorization = "bearer \(second)" }).status == 200)
    }

    @Test func rulesAnswer() throws {
        let simulation = try Simulation { configuration, _ in
            configuration.rules = [
                SimulatorRule(
                    tokenPrefix: "dead",
                    answer: SimulatorAnswer(status: 410, reason: "Unregistered", timestamp: .at(1_700_000_000_123))
                ),
                SimulatorRule(tokenPrefix: "beef", answer: .documented(.serviceUnavailable), times: 1),
            ]
        }
        let client = try simulation.connect()
        let dead = try client.answer(to: simulation.push("DEAD"))
        #expect(dead.status == 410)
        #expect(dead.body == #"{"reason":"Unregistered","timestamp":1700000000123}"#)
        #expect(try client.answer(to: simulation.push("beef")).status == 503)
        #expect(try client.answer(to: simulation.push("beef")).status == 200)
        #expect(try client.answer(to: simulation.push("dead").with { $0.id = "x" }).status == 400)
        simulation.server.setRules([SimulatorRule(tokenPrefix: "", answer: .documented(.tooManyRequests))])
        #expect(try client.answer(to: simulation.push("a1")).status == 429)
    }

    @Test func answersConstantly() throws {
        let simulation = try Simulation { configuration, _ in
            configuration.answersConstantly = true
            configuration.streamLimit = 50
        }
        let client = try simulation.connect()
        try client.run { client.streamLimit == 50 }
        let streams = try (0..<300).map { _ in try client.send(simulation.push().with { $0.authorization = nil }) }
        try client.run { client.answered.count == 300 }
        #expect(streams.allSatisfy { client.answers[$0]?.status == 200 })
        #expect(simulation.server.statistics.count(status: 200) == 300)
    }

    @Test("A sink decides the answer from the path and the body of each request")
    func answersAsASinkDecides() throws {
        let simulation = try Simulation { configuration, _ in
            configuration.answersConstantly = true
            configuration.constantAnswer = { path, payload in
                path.starts(with: "/3/device/dead".utf8) && !payload.isEmpty ? .documented(.unregistered) : .accepted
            }
        }
        let client = try simulation.connect()
        #expect(try client.answer(to: simulation.push("dead")).status == 410)
        #expect(try client.answer(to: simulation.push("beef")).status == 200)
        #expect(simulation.server.statistics.count(status: 410, reason: "Unregistered") == 1)
        #expect(simulation.server.statistics.count(status: 200) == 1)
    }
}
