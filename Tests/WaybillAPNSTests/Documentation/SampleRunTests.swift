import Foundation
import Synchronization
import Testing
import WaybillAPNS
import WaybillSimulator

@Suite("The samples, run against the simulator")
struct SampleRunTests {
    private let token = Fixture.token(7)

    @Test("Payloads as the articles show them")
    func payloads() async throws {
        let rehearsal = try Rehearsal()
        let client = try rehearsal.client()
        let alert = try PayloadSamples.alert(deviceToken: token)
        #expect(try await client.send(alert).isAccepted)
        for notification in [
            try PayloadSamples.localized(deviceToken: token), try PayloadSamples.custom(deviceToken: token),
            try PayloadSamples.own(deviceToken: token),
        ] + (try PayloadSamples.others(deviceToken: token, callee: Fixture.token(8))) {
            #expect(try await client.send(notification).isAccepted)
        }
        let sent = rehearsal.server.recordedRequests
        #expect(sent[0][header: "apns-collapse-id"] == "parcel-7")
        #expect(
            String(decoding: sent[2].payload, as: UTF8.self)
                == #"{"aps":{"alert":"It is here"},"depot":"West","parcel":7}"#
        )
        #expect(sent.map { $0[header: "apns-push-type"] ?? "" }.suffix(3) == ["background", "voip", "widgets"])
        await client.close()
    }

    @Test("A refusal before sending, as shown")
    func refusal() throws {
        let rehearsal = try Rehearsal()
        let lane = try rehearsal.lane()
        let notification = try PayloadSamples.refused(deviceToken: token, configuration: lane)
        let error = #expect(throws: APNSError.self) { try notification.validate(for: lane) }
        #expect(error?.code == .invalidNotification)
        #expect(error?.field == "priority")
    }

    @Test("A relay passes bytes, type, topic and id, and names what it refuses")
    func relay() async throws {
        let rehearsal = try Rehearsal()
        let client = try rehearsal.client()
        let json = Array(#"{ "aps":{"alert" : "x"}, "unknown":[1e3] }"#.utf8)
        let id = "0193d5e6-f708-4000-8000-000000000001"
        var push = RelaySamples.Push(
            deviceToken: token,
            topic: "com.example.other",
            pushType: "alert",
            json: json,
            id: id
        )
        #expect(try await client.send(RelaySamples.notification(for: push)).isAccepted)
        let seen = try #require(rehearsal.server.recordedRequests.first)
        #expect(seen.payload == json)
        #expect(seen[header: "apns-topic"] == "com.example.other")
        #expect(seen[header: "apns-id"] == id)
        push.deviceToken = "no token"
        let refusals = RelaySamples.refusals([push], configuration: try rehearsal.lane())
        #expect(refusals == [0: "deviceToken"])
        let campaign = RelaySamples.campaign(json: json, deviceTokens: [token, Fixture.token(8)])
        #expect(Set(campaign.map(\.apnsID)).count == 2)
        #expect(Set(campaign.map(\.payload)).count == 1)
        await client.close()
    }

    @Test("Batches and streams count what was accepted")
    func batches() async throws {
        let rehearsal = try Rehearsal()
        let client = try rehearsal.client()
        var notifications = Fixture.notifications(500)
        notifications[100].deviceToken = "no token"
        let (accepted, refused, failed) = await BatchSamples.batch(notifications, client: client)
        #expect((accepted, refused, failed) == (499, 0, 1))
        let tokens = (0..<6000).map { Fixture.token($0) }
        #expect(try await BatchSamples.feed(deviceTokens: tokens, client: client) == 6000)
        await BatchSamples.close(client)
        await #expect(throws: APNSError.self) { _ = try await client.send(notifications[0]) }
    }

    @Test("A batch that is left: every notification is still accounted for")
    func leaving() async throws {
        let rehearsal = try Rehearsal {
            $0.rules = [SimulatorRule(tokenPrefix: "", answer: .documented(.invalidProviderToken))]
        }
        let client = try rehearsal.client()
        let (sent, takenBack) = await BatchSamples.leave(Fixture.notifications(3000), client: client)
        // One was read in the first loop.
        #expect(sent + takenBack < 3000)
        #expect(takenBack > 0)
        await client.close()
    }

    @Test("Live Activities, channels and broadcasts")
    func liveActivities() async throws {
        let rehearsal = try Rehearsal()
        let client = try rehearsal.client()
        for notification in [
            try LiveActivitySamples.start(pushToStartToken: token),
            try LiveActivitySamples.update(activityToken: token),
            try LiveActivitySamples.end(activityToken: token), try LiveActivitySamples.ready(activityToken: token),
        ] {
            #expect(try await client.send(notification).isAccepted)
        }
        let channels = try APNSChannelClient(try rehearsal.lane())
        let id = try await LiveActivitySamples.makeChannel(with: channels)
        #expect(try await LiveActivitySamples.broadcast(to: id, client: client).isAccepted)
        #expect(try await client.send(LiveActivitySamples.follow(id, pushToStartToken: token)).isAccepted)
        try await LiveActivitySamples.delete(id, with: channels)
        try await LiveActivitySamples.delete(id, with: channels)
        #expect(try await channels.list().isEmpty)
        #expect(LiveActivitySamples.channelConfiguration(source: try rehearsal.tokenSource()).endpoint.port == 2195)
        await channels.close()
        await client.close()
    }

    @Test("The observer and the numbers")
    func observation() async throws {
        let rehearsal = try Rehearsal()
        let lines = Mutex<[String]>([])
        let client = try ObservationSamples.make(try rehearsal.lane()) { line in lines.withLock { $0.append(line) } }
        #expect(try await client.send(Fixture.notification()).isAccepted)
        #expect(lines.withLock { $0 }.first?.contains("is ready, TLSv1.3") == true)
        #expect(ObservationSamples.metrics(of: client).contains("apns_accepted_total{lane=\"rehearsal\"} 1\n"))
        await client.close()
    }
}
