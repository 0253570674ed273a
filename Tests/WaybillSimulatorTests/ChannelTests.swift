import Testing
import WaybillSimulator

@Suite struct ChannelTargetTests {
    static let app = "com.example.parcels"

    static func head(_ headers: [(String, String)]) -> RequestHead {
        var head = RequestHead()
        for (name, value) in headers {
            Array(name.utf8).withUnsafeBytes { name in
                Array(value.utf8).withUnsafeBytes { head.append(name: name, value: $0) }
            }
        }
        return head
    }

    @Test(arguments: [
        ("POST", "/4/broadcasts/apps/com.example.parcels", ChannelTarget.broadcast(bundleID: app)),
        ("POST", "/1/apps/com.example.parcels/channels", .create(bundleID: app)),
        ("GET", "/1/apps/com.example.parcels/channels", .read(bundleID: app)),
        ("DELETE", "/1/apps/com.example.parcels/channels", .delete(bundleID: app)),
        ("GET", "/1/apps/com.example.parcels/all-channels", .list(bundleID: app)),
        ("GET", "/4/broadcasts/apps/com.example.parcels", .refused(.methodNotAllowed)),
        ("PUT", "/1/apps/com.example.parcels/channels", .refused(.methodNotAllowed)),
        ("POST", "/1/apps/com.example.parcels/all-channels", .refused(.methodNotAllowed)),
        ("POST", "/4/broadcasts/apps/", .refused(.badPath)),
        ("POST", "/4/broadcasts/apps/a/b", .refused(.badPath)),
        ("POST", "/1/apps//channels", .refused(.badPath)),
        ("POST", "/1/apps/a", .refused(.badPath)),
        ("POST", "/1/apps/a/channels/b", .refused(.badPath)),
    ])
    func readsMethodAndPath(method: String, path: String, target: ChannelTarget) {
        #expect(ChannelTarget(Self.head([(":method", method), (":path", path)])) == target)
    }

    @Test(arguments: ["/3/device/aa", "/4/broadcasts", "/1", "/"])
    func otherPathsAreNotAboutChannels(path: String) {
        #expect(ChannelTarget(Self.head([(":method", "POST"), (":path", path)])) == nil)
    }
}

@Suite struct ChannelValidatorTests {
    let validator = ChannelValidator(policy: ValidationPolicy())
    static let storing = SimulatorChannel(id: "AAAAAAAAAAAAAAAAAAAAAA==", bundleID: "a", storesMessages: true)
    static let passing = SimulatorChannel(id: "AAAAAAAAAAAAAAAAAAAAAA==", bundleID: "a", storesMessages: false)
    static let update = #"{"aps":{"event":"update","timestamp":1,"content-state":{}}}"#

    @Test(
        arguments: [
            ([("apns-push-type", "liveactivity")], update, storing, nil),
            ([("apns-push-type", "LiveActivity")], update, storing, nil),
            ([], update, storing, DocumentedReason.missingPushType),
            ([("apns-push-type", "alert")], update, storing, .invalidPushType),
            ([("apns-push-type", "liveactivity"), ("apns-expiration", "x")], update, storing, .badExpirationDate),
            ([("apns-push-type", "liveactivity"), ("apns-expiration", "9")], update, storing, nil),
            ([("apns-push-type", "liveactivity"), ("apns-expiration", "9")], update, passing, .badExpirationDate),
            ([("apns-push-type", "liveactivity"), ("apns-expiration", "0")], update, passing, nil),
            ([("apns-push-type", "liveactivity"), ("apns-priority", "5")], update, passing, nil),
            ([("apns-push-type", "liveactivity"), ("apns-priority", "1")], update, passing, .badPriority),
            ([("apns-push-type", "liveactivity")], "", storing, .payloadEmpty),
            ([("apns-push-type", "liveactivity")], "{", storing, .badRequestPayload),
            ([("apns-push-type", "liveactivity")], "{}", storing, .badRequestPayload),
            ([("apns-push-type", "liveactivity")], #"{"aps":{"event":"end"}}"#, storing, nil),
            ([("apns-push-type", "liveactivity")], #"{"aps":{"event":"start"}}"#, storing, .badRequestPayload),
            ([("apns-push-type", "liveactivity")], #"{"aps":{}}"#, storing, nil),
        ] as [([(String, String)], String, SimulatorChannel, DocumentedReason?)]
    )
    func judgesBroadcasts(
        headers: [(String, String)],
        payload: String,
        channel: SimulatorChannel,
        reason: DocumentedReason?
    ) {
        let head = ChannelTargetTests.head(headers)
        #expect(validator.refusalOfBroadcast(head, payload: Array(payload.utf8), to: channel) == reason)
    }

    @Test(arguments: [(5120, nil), (5121, DocumentedReason.payloadTooLarge)])
    func aBroadcastHasALimit(count: Int, reason: DocumentedReason?) {
        let frame = #"{"aps":{"x":""}}"#
        let payload = #"{"aps":{"x":"\#(String(repeating: "x", count: count - frame.utf8.count))"}}"#
        let head = ChannelTargetTests.head([("apns-push-type", "liveactivity")])
        #expect(validator.refusalOfBroadcast(head, payload: Array(payload.utf8), to: Self.storing) == reason)
    }

    @Test(arguments: [
        (#"{"message-storage-policy":0,"push-type":"LiveActivity"}"#, false, nil),
        (#"{"push-type":"LiveActivity","message-storage-policy":1}"#, true, nil),
        ("", false, DocumentedReason.payloadEmpty),
        ("[]", false, .badRequestPayload),
        (#"{"message-storage-policy":0,"push-type":"LiveActivity","name":"x"}"#, false, .badRequestPayload),
        (#"{"message-storage-policy":0}"#, false, .missingPushType),
        (#"{"message-storage-policy":0,"push-type":"alert"}"#, false, .invalidPushType),
        (#"{"message-storage-policy":2,"push-type":"LiveActivity"}"#, false, .badRequestParameters),
        (#"{"message-storage-policy":"0","push-type":"LiveActivity"}"#, false, .badRequestParameters),
        (#"{"push-type":"LiveActivity"}"#, false, .badRequestParameters),
    ])
    func readsStoragePolicies(body: String, storesMessages: Bool, reason: DocumentedReason?) {
        switch validator.storagePolicy(Array(body.utf8)) {
        case .success(let stores): #expect(reason == nil && stores == storesMessages)
        case .failure(let refusal): #expect(refusal.reason == reason)
        }
    }

    @Test(
        arguments: [
            (nil, DocumentedReason.missingChannelID), ("", .missingChannelID), ("x", .badChannelID),
            ("AAAAAAAAAAAAAAAAAAAAAA", .badChannelID), ("AAAAAAAAAAAAAAAAAAAAA!==", .badChannelID),
            ("AAAAAAAAAAAAAAAAAAAAAB==", .badChannelID), ("AAAAAAAAAAAAAAAAAAAAAA==", .channelNotRegistered),
        ] as [(String?, DocumentedReason)]
    )
    func judgesChannelIDs(id: String?, reason: DocumentedReason) {
        let head = ChannelTargetTests.head(id.map { [("apns-channel-id", $0)] } ?? [])
        #expect(validator.refusalOfChannel(head) { _ in nil } == .refused(reason))
        if reason == .channelNotRegistered {
            #expect(validator.refusalOfChannel(head) { _ in Self.storing } == .found(Self.storing))
        }
    }
}
