import Testing
import WaybillAPNS
import WaybillPushTransport
import WaybillSimulator
import WaybillTLS
import WaybillThreads

@Suite("Sending to a simulated APNs", .serialized)
struct DeliveryTests {
    @Test("A thousand notifications, each with its outcome, the limit of streams kept")
    func thousand() throws {
        let rehearsal = try Rehearsal { $0.streamLimit = 50 }
        let sender = try Sender([rehearsal.lane()])
        sender.send((0..<1000).map { Fixture.request(index: $0) })
        let outcomes = try sender.outcomes(1000)
        #expect(outcomes.map(\.index) == Array(0..<1000))
        for outcome in outcomes {
            #expect(outcome.result == .accepted)
            #expect(outcome.attempts == 1)
            #expect(outcome.latency > 0)
            #expect(outcome.history.isEmpty)
        }
        // Handed out by the turn of the loop, not one by one.
        #expect(sender.handouts.count < 1000)
        let statistics = rehearsal.server.statistics
        #expect(statistics.requests == 1000)
        #expect(statistics.streamLimitViolations == 0)
        #expect(statistics.malformedRequests == 0)
        #expect(statistics.connections.map(\.maxConcurrentStreams).max() ?? 0 > 1)
        #expect(statistics.connections.map(\.maxConcurrentStreams).max() ?? 0 <= 50)
    }

    @Test("The headers and the payload arrive as they were given")
    func headers() throws {
        let rehearsal = try Rehearsal()
        let sender = try Sender([rehearsal.lane(host: "localhost")])
        let digest = SHA256Hasher.digest(of: Array("parcel".utf8))
        sender.send([
            Fixture.request(index: 0, expiration: .absent),
            Fixture.request(index: 1, expiration: .immediate, collapseID: .explicit(Array("order-7".utf8)[...])),
            Fixture.request(index: 2, expiration: .at(4_000_000_000), collapseID: .digest(digest)),
            Fixture.request(
                index: 3,
                token: Fixture.token(1, prefix: "abcdef"),
                topic: "com.example.parcels.voip",
                payload: #"{"aps":{}, "é":  1}"#,
                pushType: .voip
            ),
            Fixture.request(index: 4, payload: #"{"aps":{"content-available":1}}"#, pushType: .background),
        ])
        for outcome in try sender.outcomes(5) { #expect(outcome.result == .accepted) }
        let requests = rehearsal.server.recordedRequests.sorted { $0[header: "apns-id"]! < $1[header: "apns-id"]! }
        try #require(requests.count == 5)
        #expect(requests.map { $0[header: "apns-expiration"] } == [nil, "0", "4000000000", "0", "0"])
        #expect(
            requests.map { $0[header: "apns-collapse-id"] } == [nil, "order-7", digest.hexadecimal, nil, nil]
        )
        #expect(requests.map { $0[header: "apns-priority"] } == ["10", "10", "10", "10", "5"])
        #expect(requests.map { $0[header: "apns-push-type"] } == ["alert", "alert", "alert", "voip", "background"])
        #expect(requests[3][header: "apns-topic"] == "com.example.parcels.voip")
        #expect(requests[3].deviceToken == Fixture.token(1, prefix: "abcdef"))
        #expect(requests[3].payload == Array(#"{"aps":{}, "é":  1}"#.utf8))
        #expect(requests[0][header: "apns-id"] == Fixture.request(index: 0).apnsID.description)
    }

    @Test("Several connections share the work")
    func spread() throws {
        let rehearsal = try Rehearsal {
            $0.streamLimit = 10
            $0.latency = .milliseconds(2)
        }
        let sender = try Sender([rehearsal.lane(connections: 3)])
        sender.send((0..<2000).map { Fixture.request(index: $0) })
        for outcome in try sender.outcomes(2000) { #expect(outcome.result == .accepted) }
        let connections = rehearsal.server.statistics.connections
        #expect(connections.count == 3)
        #expect(connections.allSatisfy { $0.requests > 0 })
        #expect(rehearsal.server.statistics.streamLimitViolations == 0)
    }

    @Test("Refusals come out with Apple's words, and are not repeated")
    func refusals() throws {
        let rehearsal = try Rehearsal {
            $0.rules = [
                SimulatorRule(tokenPrefix: "a0", answer: .documented(.badDeviceToken)),
                SimulatorRule(
                    tokenPrefix: "a1",
                    answer: SimulatorAnswer(status: 410, reason: "Unregistered", timestamp: .at(1_700_000_000_123))
                ),
                SimulatorRule(tokenPrefix: "a2", answer: .documented(.serviceUnavailable)),
                SimulatorRule(tokenPrefix: "a3", answer: SimulatorAnswer(status: 418, reason: "Teapot")),
                SimulatorRule(tokenPrefix: "a4", answer: SimulatorAnswer(status: 500, body: "<html>")),
                SimulatorRule(tokenPrefix: "a5", answer: .documented(.tooManyRequests)),
            ]
        }
        let sender = try Sender([rehearsal.lane()])
        sender.send((0..<7).map { Fixture.request(index: $0, token: Fixture.token(0, prefix: "a\($0)")) })
        let outcomes = try sender.outcomes(7)
        let expected: [APNSAnswer] = [
            APNSAnswer(status: 400, reason: .badDeviceToken),
            APNSAnswer(status: 410, reason: .unregistered, timestamp: 1_700_000_000_123),
            APNSAnswer(status: 503, reason: .serviceUnavailable),
            APNSAnswer(status: 418, reason: APNSReason(rawValue: "Teapot")),
            APNSAnswer(status: 500),
            APNSAnswer(status: 429, reason: .tooManyRequests),
            APNSAnswer(status: 200),
        ]
        #expect(outcomes.map(\.result) == expected.map(APNSResult.answered))
        #expect(outcomes.allSatisfy { $0.attempts == 1 })
        let answers = sender.driver.snapshot.lanes[0].answers
        #expect(answers.accepted == 1 && answers.gone == 1 && answers.throttled == 1 && answers.serverError == 2)
    }

    @Test("The limit of streams goes up and down under load and is never exceeded")
    func movingLimit() throws {
        let rehearsal = try Rehearsal { $0.latency = .milliseconds(1) }
        let sender = try Sender([rehearsal.lane()])
        sender.send((0..<6000).map { Fixture.request(index: $0) })
        for (step, limit) in [10, 1, 500, 0].enumerated() {
            try sender.wait { sender.outcomes.count >= (step + 1) * 500 }
            rehearsal.server.limitStreams(to: limit)
        }
        // With no stream allowed the open ones end and no more begin: requests wait on a connection that stands.
        try sender.wait { sender.driver.snapshot.lanes[0].streamsOpen == 0 }
        let paused = sender.driver.snapshot.lanes[0]
        #expect(paused.connectionsOpen == 1)
        try #require(paused.waiting > 0)
        try sender.wait { sender.outcomes.count == 6000 - paused.waiting }
        rehearsal.server.limitStreams(to: 1000)
        let outcomes = try sender.outcomes(6000)
        #expect(outcomes.allSatisfy { $0.result == .accepted })
        let statistics = rehearsal.server.statistics
        #expect(statistics.requests == 6000)
        #expect(statistics.protocolErrors == 0)
        // A request may cross a lower limit on its way and is refused then. One beyond a limit that the client has
        // acknowledged would have cost the connection.
        let refusals = outcomes.flatMap(\.history)
        #expect(refusals.allSatisfy { $0.result == .unanswered(.notSent, cause: "refused_stream") })
        #expect(statistics.streamLimitViolations == refusals.count)
        #expect(statistics.connections.count == 1)
    }

    @Test("With a provider certificate, no token is sent and none is waited for")
    func certificate() throws {
        let rehearsal = try Rehearsal { $0.authentication = .none }
        var lane = try rehearsal.lane()
        lane.credentials = .certificate(
            APNSCertificate(
                certificateFile: rehearsal.certificate.certificateFile,
                privateKeyFile: rehearsal.certificate.privateKeyFile
            )
        )
        let sender = try Sender([lane])
        sender.send((0..<10).map { Fixture.request(index: $0) })
        for outcome in try sender.outcomes(10) { #expect(outcome.result == .accepted) }
        #expect(rehearsal.server.recordedRequests.allSatisfy { $0[header: "authorization"] == nil })
    }

    @Test("A notification whose time has passed is not sent")
    func expired() throws {
        let rehearsal = try Rehearsal()
        let sender = try Sender([rehearsal.lane()])
        sender.send([Fixture.request(index: 0, expiration: .at(1)), Fixture.request(index: 1)])
        let outcomes = try sender.outcomes(2)
        #expect(outcomes[0].result == .failed(.notSent(.expired)))
        #expect(outcomes[0].attempts == 0)
        #expect(outcomes[1].result == .accepted)
        #expect(rehearsal.server.statistics.requests == 1)
    }
}
