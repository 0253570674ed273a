import Testing
import WaybillAPNS
import WaybillSimulator

@Suite("Broadcasting to a channel", .serialized)
struct BroadcastTests {
    private struct Score: Encodable {
        var home: Int
        var away: Int
    }

    private static let channel = APNSChannelID(rawValue: "AAAAAAAAAAAAAAAAAAAAAA==")

    @Test("An update goes out beside device pushes, on the same connection, in APNs' form")
    func update() async throws {
        let rehearsal = try Rehearsal()
        let channel = try #require(
            rehearsal.server.channels.create(bundleID: "com.example.parcels", storesMessages: false)
        )
        let client = try rehearsal.client()
        #expect(try await client.send(Fixture.notification(1)).isAccepted)
        let broadcast = try APNSBroadcast(
            to: APNSChannelID(rawValue: channel.id),
            .liveActivityUpdate(contentState: Score(home: 1, away: 0))
        )
        let response = try await client.broadcast(broadcast)
        #expect(response.isAccepted)
        #expect(response.apnsID == broadcast.requestID)
        #expect(response.requestID == broadcast.requestID.description)
        let request = try #require(rehearsal.server.recordedRequests.last)
        #expect(request.path == "/4/broadcasts/apps/com.example.parcels")
        #expect(request[header: "apns-channel-id"] == channel.id)
        #expect(request[header: "apns-push-type"] == "liveactivity")
        #expect(request[header: "apns-priority"] == "10")
        #expect(request[header: "apns-expiration"] == "0")
        #expect(request[header: "apns-request-id"] == broadcast.requestID.description)
        #expect(request[header: "apns-topic"] == nil)
        #expect(request[header: "apns-id"] == nil)
        #expect(request.payload == broadcast.payload.bytes)
        #expect(rehearsal.server.statistics.connections.count == 1)
        await client.close()
    }

    @Test("A channel that keeps the newest broadcast takes an expiration; one that keeps nothing does not")
    func expiration() async throws {
        let rehearsal = try Rehearsal()
        let client = try rehearsal.client()
        for storesMessages in [true, false] {
            let channel = try #require(
                rehearsal.server.channels.create(bundleID: "com.example.parcels", storesMessages: storesMessages)
            )
            var broadcast = try APNSBroadcast(to: APNSChannelID(rawValue: channel.id), .liveActivityEnd())
            broadcast.expiration = .after(.seconds(3600))
            broadcast.priority = .powerAware
            let response = try await client.broadcast(broadcast)
            #expect(response.isAccepted == storesMessages)
            #expect(response.reason == (storesMessages ? nil : .badExpirationDate))
        }
        #expect(rehearsal.server.recordedRequests.allSatisfy { $0[header: "apns-priority"] == "5" })
        await client.close()
    }

    @Test("A channel that is not there is a refusal, not an error")
    func noChannel() async throws {
        let rehearsal = try Rehearsal()
        let client = try rehearsal.client()
        let response = try await client.broadcast(try APNSBroadcast(to: Self.channel, .liveActivityEnd()))
        #expect(response.reason == .channelNotRegistered)
        #expect(response.action == .fixNotification)
        await client.close()
    }

    enum Change: String, CaseIterable, Sendable {
        case noChannel, channelWithSpace, channelWithNewline, empty, tooLarge, noObject, noAPS, start, noEvent,
            priorityOne
        case milliseconds

        var field: String {
            switch self {
            case .noChannel, .channelWithSpace, .channelWithNewline: "channelID"
            case .empty, .tooLarge, .noObject, .noAPS: "payload"
            case .start, .noEvent: "aps.event"
            case .priorityOne: "priority"
            case .milliseconds: "expiration"
            }
        }

        func apply(to broadcast: inout APNSBroadcast) {
            switch self {
            case .noChannel: broadcast.channelID = APNSChannelID(rawValue: "")
            case .channelWithSpace: broadcast.channelID = APNSChannelID(rawValue: "a b")
            case .channelWithNewline: broadcast.channelID = APNSChannelID(rawValue: "a\r\nx: y")
            case .empty: broadcast.payload = APNSPayload(json: "")
            case .tooLarge: broadcast.payload = BroadcastTests.payload(size: 5121)
            case .noObject: broadcast.payload = APNSPayload(json: "[1]")
            case .noAPS: broadcast.payload = APNSPayload(json: #"{"event":"update"}"#)
            case .start: broadcast.payload = APNSPayload(json: #"{"aps":{"event":"start"}}"#)
            case .noEvent: broadcast.payload = APNSPayload(json: #"{"aps":{"content-state":{"event":"update"}}}"#)
            case .priorityOne: broadcast.priority = .neverWakes
            case .milliseconds: broadcast.expiration = .at(1_700_000_000_000)
            }
        }
    }

    static func payload(size: Int) -> APNSPayload {
        let frame = #"{"aps":{"event":"update","x":""}}"#
        return APNSPayload(
            json: #"{"aps":{"event":"update","x":""# + String(repeating: "x", count: size - frame.utf8.count) + #""}}"#
        )
    }

    @Test("What APNs would refuse is refused before sending, naming the field", arguments: Change.allCases)
    func invalid(change: Change) async throws {
        let rehearsal = try Rehearsal()
        let client = try rehearsal.client()
        var broadcast = try APNSBroadcast(to: Self.channel, .liveActivityEnd())
        change.apply(to: &broadcast)
        let wrong = broadcast
        let error = await #expect(throws: APNSError.self) { try await client.broadcast(wrong) }
        #expect(error?.code == .invalidNotification)
        #expect(error?.field == change.field)
        #expect(error?.fate == .notSent)
        #expect(client.snapshot.lanes[0].connected == 0)
        await client.close()
    }

    @Test("5,120 bytes are allowed")
    func largest() async throws {
        let rehearsal = try Rehearsal()
        let channel = try #require(
            rehearsal.server.channels.create(bundleID: "com.example.parcels", storesMessages: true)
        )
        let client = try rehearsal.client()
        let payload = Self.payload(size: 5120)
        #expect(payload.bytes.count == 5120)
        let broadcast = APNSBroadcast(to: APNSChannelID(rawValue: channel.id), payload: payload)
        #expect(try await client.broadcast(broadcast).isAccepted)
        await client.close()
    }

    @Test("Without a bundle id there is nothing to broadcast for")
    func noBundleID() async throws {
        let rehearsal = try Rehearsal()
        let client = try rehearsal.client { $0.bundleID = nil }
        let broadcast = try APNSBroadcast(to: Self.channel, .liveActivityEnd())
        let error = await #expect(throws: APNSError.self) { try await client.broadcast(broadcast) }
        #expect(error?.field == "bundleID")
        await client.close()
    }

    @Test("The description holds no payload")
    func description() throws {
        let broadcast = APNSBroadcast(to: Self.channel, payload: Self.payload(size: 100))
        var text = "\(broadcast)"
        dump(broadcast, to: &text)
        #expect(!text.contains("xxxx"))
        #expect(text.contains("100 bytes"))
    }
}
