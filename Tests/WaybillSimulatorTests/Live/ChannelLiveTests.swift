import Testing
import WaybillSimulator

@Suite struct ChannelLiveTests {
    func call(
        _ simulation: Simulation,
        _ method: String,
        _ path: String,
        channel: String? = nil,
        payload: String = ""
    ) -> Push {
        simulation.push().with { push in
            push.method = method
            push.path = path
            push.topic = nil
            push.pushType = nil
            push.payload = payload
            if let channel { push.others = [("apns-channel-id", channel)] }
        }
    }

    let channels = "/1/apps/\(Simulation.topic)/channels"
    let list = "/1/apps/\(Simulation.topic)/all-channels"
    let broadcast = "/4/broadcasts/apps/\(Simulation.topic)"
    let keeping = #"{"message-storage-policy":1,"push-type":"LiveActivity"}"#

    @Test func aChannelLivesFromItsCreationToItsRemoval() throws {
        let simulation = try Simulation()
        let client = try simulation.connect()
        let created = try client.answer(to: call(simulation, "POST", channels, payload: keeping))
        #expect(created.status == 201)
        #expect(created.body == "")
        let id = try #require(created.headers["apns-channel-id"])
        #expect(id.utf8.count == 24)
        #expect(created.headers["apns-request-id"]?.utf8.count == 36)
        #expect(created.headers["apns-id"] == nil)

        let read = try client.answer(to: call(simulation, "GET", channels, channel: id))
        #expect(read.status == 200)
        #expect(read.body == keeping)
        #expect(try client.answer(to: call(simulation, "GET", list)).body == #"{"channels":["\#(id)"]}"#)
        let sent = call(simulation, "POST", broadcast, channel: id, payload: #"{"aps":{"event":"update"}}"#).with {
            $0.pushType = "liveactivity"
            $0.others.append(("apns-request-id", "123e4567-e89b-12d3-a456-42665544000a"))
        }
        let answer = try client.answer(to: sent)
        #expect(answer.status == 200)
        #expect(answer.headers == ["apns-request-id": "123e4567-e89b-12d3-a456-42665544000a"])

        #expect(try client.answer(to: call(simulation, "DELETE", channels, channel: id)).status == 204)
        #expect(try client.answer(to: sent).body == #"{"reason":"ChannelNotRegistered"}"#)
        #expect(try client.answer(to: call(simulation, "GET", list)).body == #"{"channels":[]}"#)
        #expect(simulation.server.recordedRequests.map(\.status) == [201, 200, 200, 200, 204, 400, 200])
    }

    @Test func testsShareTheChannels() throws {
        let simulation = try Simulation()
        let channel = try #require(
            simulation.server.channels.create(bundleID: Simulation.topic, storesMessages: false)
        )
        let client = try simulation.connect()
        let read = try client.answer(to: call(simulation, "GET", channels, channel: channel.id))
        #expect(read.body == #"{"message-storage-policy":0,"push-type":"LiveActivity"}"#)
        #expect(simulation.server.channels.all == [channel])
    }

    @Test func refusesWithTheReasonsOfChannels() throws {
        let simulation = try Simulation { configuration, _ in
            configuration.channelLimit = 1
            configuration.validation.topics = [Simulation.topic, "com.example.other"]
            configuration.validation.topicsWithoutBroadcast = ["com.example.other"]
        }
        simulation.server.channels.create(bundleID: Simulation.topic, storesMessages: false)
        let client = try simulation.connect()
        let good = call(simulation, "GET", list)
        let cases: [(Push, DocumentedReason)] = [
            (good.with { $0.path = "/1/apps/x" }, .badPath),
            (good.with { $0.method = "POST" }, .methodNotAllowed),
            (good.with { $0.authorization = nil }, .missingProviderToken),
            (good.with { $0.authorization = "bearer a.b.c" }, .invalidProviderToken),
            (good.with { $0.path = "/1/apps/com.example.strange/all-channels" }, .topicDisallowed),
            (good.with { $0.path = "/1/apps/com.example.other/all-channels" }, .featureNotEnabled),
            (good.with { $0.others = [("apns-request-id", "1")] }, .badMessageID),
            (call(simulation, "POST", channels, payload: keeping), .cannotCreateChannel),
            (call(simulation, "POST", channels), .payloadEmpty),
            (call(simulation, "DELETE", channels), .missingChannelID),
        ]
        for (push, reason) in cases {
            let answer = try client.answer(to: push)
            #expect(answer.status == reason.status, "\(reason)")
            #expect(answer.body == #"{"reason":"\#(reason.rawValue)"}"#)
        }
        #expect(try client.answer(to: good).status == 200)
    }

    @Test func rulesReachThemByPath() throws {
        let simulation = try Simulation { configuration, _ in
            configuration.rules = [
                SimulatorRule(tokenPrefix: "", answer: .documented(.forbidden)),
                SimulatorRule(tokenPrefix: "/4/", answer: .documented(.tooManyRequests)),
                SimulatorRule(tokenPrefix: "/1/", delay: .milliseconds(1)),
            ]
        }
        let client = try simulation.connect()
        #expect(try client.answer(to: call(simulation, "POST", broadcast)).status == 429)
        // A rule that says nothing of the answer leaves it as it is.
        #expect(try client.answer(to: call(simulation, "POST", channels, payload: keeping)).status == 201)
    }
}
