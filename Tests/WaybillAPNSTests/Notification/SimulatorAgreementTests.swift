import Testing
import WaybillAPNS

@Suite("What the checks let through, a strict server takes", .timeLimit(.minutes(1)))
struct SimulatorAgreementTests {
    @Test("One push of each type, with all its headers")
    func eachType() throws {
        let rehearsal = try Rehearsal()
        let token = String(repeating: "AB", count: 32)
        let start = APNSLiveActivityAlert(title: "Go", body: "It began")
        var notifications = [
            try APNSNotification(to: token, .alert(title: "Parcel", body: "Grüße"), custom: ["order": 7]),
            try APNSNotification(to: token, .background),
            try APNSNotification(to: token, .complication, custom: ["steps": 900]),
            try APNSNotification(to: token, .controls),
            try APNSNotification(to: token, .fileProvider(containerIdentifier: "root")),
            try APNSNotification(
                to: token,
                .liveActivityStart(attributesType: "A", attributes: ["a": 1], contentState: ["b": 2], alert: start)
            ),
            try APNSNotification(to: token, .liveActivityUpdate(contentState: ["b": 3])),
            try APNSNotification(to: token, .liveActivityEnd()),
            try APNSNotification(to: token, .location),
            try APNSNotification(to: token, .mdm(pushMagic: "4F2A")),
            try APNSNotification(to: token, .pushToTalk, custom: ["activeSpeaker": "Ada"]),
            try APNSNotification(to: token, .voip, custom: ["caller": "Ada"]),
            try APNSNotification(to: token, .widgets),
        ]
        for position in notifications.indices {
            notifications[position].expiration = .after(.seconds(3600))
            notifications[position].collapseID = String(repeating: "c", count: 64)
            if notifications[position].pushType == .mdm { notifications[position].topic = "com.apple.mgmt.External.1" }
        }
        #expect(Set(notifications.map(\.pushType)) == Set(APNSPushType.known))
        let requests = try notifications.enumerated().map { index, notification in
            try notification.makeRequest(index: index, bundleID: "com.example.parcels", usesCertificate: false)
        }
        let sender = try Sender([try rehearsal.lane()])
        sender.send(requests)
        let outcomes = try sender.outcomes(requests.count)
        for (outcome, notification) in zip(outcomes, notifications) {
            #expect(outcome.result == .accepted, "\(notification.pushType.rawValue)")
        }
    }
}
