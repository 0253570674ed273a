import Testing
import WaybillSimulator
import WaybillTestSupport

@testable import WaybillAPNS

extension Rehearsal {
    /// A client that manages channels.
    func channelClient() throws -> APNSChannelClient {
        try APNSChannelClient(try lane())
    }
}

@Suite("Managing channels", .serialized)
struct ChannelTests {
    @Test("A channel is created, read, listed and deleted")
    func life() async throws {
        let rehearsal = try Rehearsal()
        let channels = try rehearsal.channelClient()
        #expect(try await channels.list().isEmpty)
        let kept = try await channels.create(storage: .newest)
        let fleeting = try await channels.create(storage: .nothing)
        #expect(kept != fleeting)
        #expect(rehearsal.server.channels.all.map(\.id) == [kept.rawValue, fleeting.rawValue])
        #expect(try await channels.read(kept) == APNSChannel(id: kept, storage: .newest))
        #expect(try await channels.read(fleeting).storage == .nothing)
        #expect(try await Set(channels.list()) == [kept, fleeting])
        try await channels.delete(kept)
        #expect(try await channels.list() == [fleeting])
        // All over one connection, in APNs' own form.
        #expect(rehearsal.server.statistics.connections.count == 1)
        let paths = Set(rehearsal.server.recordedRequests.map { "\($0.method) \($0.path)" })
        #expect(
            paths == [
                "POST /1/apps/com.example.parcels/channels", "GET /1/apps/com.example.parcels/channels",
                "DELETE /1/apps/com.example.parcels/channels", "GET /1/apps/com.example.parcels/all-channels",
            ]
        )
        #expect(rehearsal.server.recordedRequests.allSatisfy { $0[header: "apns-topic"] == nil })
        #expect(rehearsal.server.recordedRequests.allSatisfy { $0[header: "apns-request-id"]?.utf8.count == 36 })
        await channels.close()
    }

    @Test("A list of 10,000 channels arrives, and one more cannot be created")
    func many() async throws {
        let rehearsal = try Rehearsal()
        for _ in 0..<10_000 {
            rehearsal.server.channels.create(bundleID: "com.example.parcels", storesMessages: true)
        }
        let channels = try rehearsal.channelClient()
        let list = try await channels.list()
        #expect(Set(list).count == 10_000)
        #expect(Set(list.map(\.rawValue)) == Set(rehearsal.server.channels.all.map(\.id)))
        let error = await #expect(throws: APNSChannelError.self) { try await channels.create(storage: .newest) }
        #expect(error?.reason == .cannotCreateChannel)
        await channels.close()
    }

    @Test("A channel that is gone: the refusal says so")
    func gone() async throws {
        let rehearsal = try Rehearsal()
        let channels = try rehearsal.channelClient()
        let id = try await channels.create(storage: .newest)
        try await channels.delete(id)
        for call in ["read", "delete"] {
            let error = await #expect(throws: APNSChannelError.self) {
                if call == "read" { _ = try await channels.read(id) } else { try await channels.delete(id) }
            }
            #expect(error?.kind == .refused)
            #expect(error?.status == 400)
            #expect(error?.saysThatChannelIsGone == true)
            #expect(error?.mayHaveHappened == false)
            #expect(error?.action == .fixNotification)
        }
        await channels.close()
    }

    @Test("The capability is missing: a matter of the configuration")
    func capability() async throws {
        let rehearsal = try Rehearsal { $0.validation.topicsWithoutBroadcast = ["com.example.parcels"] }
        let channels = try rehearsal.channelClient()
        let error = await #expect(throws: APNSChannelError.self) { try await channels.create(storage: .newest) }
        #expect(error?.reason == .featureNotEnabled)
        #expect(error?.action == .fixConfiguration)
        #expect(error.map { "\($0)".contains("FeatureNotEnabled") } == true)
        await channels.close()
    }

    @Test("An id that may not stand in a header is not sent", arguments: ["", "a b", "a\r\nx: y", "ä"])
    func invalid(id: String) async throws {
        let rehearsal = try Rehearsal()
        let channels = try rehearsal.channelClient()
        let error = await #expect(throws: APNSChannelError.self) {
            try await channels.read(APNSChannelID(rawValue: id))
        }
        #expect(error?.failure?.field == "channelID")
        #expect(error?.mayHaveHappened == false)
        #expect(rehearsal.server.statistics.connections.isEmpty)
        await channels.close()
    }

    @Test("Nobody there: certainly not done; closed: the same")
    func unreachable() async throws {
        let rehearsal = try Rehearsal()
        var lane = try rehearsal.lane()
        lane.endpoint.port = try SilentServer.unusedPort()
        lane.deadlines.unreachable = .milliseconds(200)
        let channels = try APNSChannelClient(lane)
        let error = await #expect(throws: APNSChannelError.self) { try await channels.create(storage: .newest) }
        #expect(error?.kind == .unanswered)
        #expect(error?.failure?.code == .unreachable)
        #expect(error?.mayHaveHappened == false)
        #expect(error?.action == nil)
        await channels.close()
        let closed = await #expect(throws: APNSChannelError.self) { try await channels.list() }
        #expect(closed?.failure?.code == .closed)
    }

    @Test("Without a bundle id there is no client")
    func noBundleID() throws {
        var lane = try Rehearsal().lane()
        lane.bundleID = nil
        let error = #expect(throws: APNSSetupError.self) { try APNSChannelClient(lane) }
        #expect(error?.code == .invalidConfiguration)
    }

    @Test("Apple's endpoints")
    func endpoints() {
        #expect(APNSEndpoint.productionChannels.authority == "api-manage-broadcast.push.apple.com:2196")
        #expect(APNSEndpoint.sandboxChannels.authority == "api-manage-broadcast.sandbox.push.apple.com:2195")
    }
}

@Suite("What is sent about channels, and what comes back, by table")
struct ChannelCallTests {
    @Test(
        "A bundle id stays in its place in the path",
        arguments: [
            ("com.example.parcels", "/1/apps/com.example.parcels/channels"),
            ("com.example/../x", "/1/apps/com.example%2F..%2Fx/channels"),
            ("a?b#c%d", "/1/apps/a%3Fb%23c%25d/channels"),
        ]
    )
    func paths(bundleID: String, path: String) throws {
        let request = try ChannelCall.create(.newest).makeRequest(bundleID: bundleID, requestID: Fixture.id(1))
        #expect(request.exchange?.path == path)
    }

    @Test("Only questions are asked again when nobody knows what became of them")
    func repeats() throws {
        let id = APNSChannelID(rawValue: "abc=")
        let calls: [(ChannelCall, Bool)] = [
            (.create(.newest), false), (.delete(id), false), (.read(id), true), (.list, true),
        ]
        for (call, isRepeated) in calls {
            #expect(try call.makeRequest(bundleID: "a", requestID: Fixture.id(1)).resendsUnknown == isRepeated)
        }
    }

    @Test("The body of a creation is what the page shows")
    func body() throws {
        let request = try ChannelCall.create(.nothing).makeRequest(bundleID: "a", requestID: Fixture.id(1))
        #expect(
            String(decoding: request.payload, as: UTF8.self)
                == #"{"message-storage-policy":0,"push-type":"LiveActivity"}"#
        )
    }

    @Test("Answers with more or other members are read as far as they are known; odd ones are not guessed at")
    func answers() {
        let id = APNSChannelID(rawValue: "abc=")
        func channel(_ text: String) -> APNSChannel? { ChannelAnswer.channel(id, Array(text.utf8)) }
        #expect(
            channel(#"{"new":[1],"push-type":"LiveActivity","message-storage-policy":7}"#)
                == APNSChannel(id: id, storage: APNSChannelStoragePolicy(rawValue: 7))
        )
        #expect(channel("") == nil)
        #expect(channel("{}") == nil)
        #expect(channel("<html>") == nil)
        #expect(ChannelAnswer.channels(Array(#"{"channels":[]}"#.utf8)) == [])
        #expect(ChannelAnswer.channels(Array(#"{"channels":["abc="],"next":null}"#.utf8)) == [id])
        #expect(ChannelAnswer.channels(Array(#"{"channels":["abc="#.utf8)) == nil)
    }

    @Test(
        "Gone, in either of APNs' two ways",
        arguments: [
            (400, "ChannelNotRegistered", true), (404, "BadPath", true), (400, "BadPath", false),
            (404, "Other", false), (400, "BadChannelId", false),
        ]
    )
    func gone(status: Int, reason: String, isGone: Bool) {
        let error = APNSChannelError(
            .refused,
            status: status,
            reason: APNSReason(rawValue: reason),
            requestID: Fixture.id(1),
            failure: nil,
            text: ""
        )
        #expect(error.saysThatChannelIsGone == isGone)
    }
}
