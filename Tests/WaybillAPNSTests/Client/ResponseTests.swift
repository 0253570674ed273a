import Testing
import WaybillAPNS

@Suite("What to do about an answer")
struct ResponseTests {
    /// Apple's reasons and what they ask for, in the words of the page rather than of the code.
    @Test("Each documented reason has its action", arguments: VerdictTests.rows)
    func actions(row: VerdictTests.Row) {
        let response = APNSResponse(
            apnsID: Fixture.id(1),
            status: row.status,
            reason: row.reason.map(APNSReason.init(rawValue:))
        )
        let minute = Duration.seconds(60)
        let expected: APNSAction =
            switch (row.status, row.reason ?? "") {
            case (200..<300, _): .done
            case (410, _): .removeToken
            case (_, "BadDeviceToken"), (_, "DeviceTokenNotForTopic"): .checkToken
            case (_, "BadTopic"), (_, "MissingTopic"), (_, "TopicDisallowed"): .fixConfiguration
            case (_, "IdleTimeout"), (503, "Shutdown"), (_, "UnrelatedKeyIdInToken"): .pause(for: minute)
            case (_, "ExpiredProviderToken"), (_, "TooManyProviderTokenUpdates"): .pause(for: minute * 20)
            case (403, _): .fixConfiguration
            case (429, _): .sendLater(after: minute)
            case (503, _): .pause(for: minute * 15)
            case (500..., _): .sendLater(after: minute * 15)
            default: .fixNotification
            }
        #expect(response.action == expected)
        #expect(response.isAccepted == (row.status < 300))
        #expect(response.reason?.rawValue == row.reason)
    }

    @Test(
        "What APNs asks to wait goes before what its page says",
        arguments: [
            (429, "TooManyRequests", .sendLater(after: .seconds(7))), (500, nil, .sendLater(after: .seconds(7))),
            (503, "ServiceUnavailable", .pause(for: .seconds(7))), (503, "Shutdown", .pause(for: .seconds(7))),
            (429, "TooManyProviderTokenUpdates", .pause(for: .seconds(7))), (410, "Unregistered", .removeToken),
            (200, nil, .done),
        ] as [(Int, String?, APNSAction)]
    )
    func waits(status: Int, reason: String?, expected: APNSAction) {
        let response = APNSResponse(
            apnsID: Fixture.id(1),
            status: status,
            reason: reason.map(APNSReason.init(rawValue:)),
            retryAfter: .seconds(7)
        )
        #expect(response.action == expected)
        #expect(response.retryAfter == .seconds(7))
    }

    struct Removal: Sendable {
        let status: Int
        var invalidSince: Int64?
        var registeredAt: Int64?
        let removes: Bool
    }

    @Test(
        "A token goes only on a 410, and only if it was not registered again since",
        arguments: [
            Removal(status: 410, invalidSince: 1000, registeredAt: 999, removes: true),
            Removal(status: 410, invalidSince: 1000, registeredAt: 1000, removes: true),
            Removal(status: 410, invalidSince: 1000, registeredAt: 1001, removes: false),
            Removal(status: 410, invalidSince: 1000, registeredAt: nil, removes: true),
            Removal(status: 410, invalidSince: nil, registeredAt: 999, removes: false),
            Removal(status: 410, invalidSince: nil, registeredAt: nil, removes: true),
            Removal(status: 400, invalidSince: 1000, registeredAt: 999, removes: false),
            Removal(status: 200, invalidSince: nil, registeredAt: nil, removes: false),
        ]
    )
    func removal(row: Removal) {
        let response = APNSResponse(apnsID: Fixture.id(1), status: row.status, invalidSince: row.invalidSince)
        #expect(response.shouldRemoveToken(registeredAt: row.registeredAt) == row.removes)
    }

    @Test("BadDeviceToken removes nothing: it may be the environment's fault")
    func suspect() {
        let response = APNSResponse(apnsID: Fixture.id(1), status: 400, reason: .badDeviceToken)
        #expect(!response.shouldRemoveToken(registeredAt: nil))
    }

    @Test("The description names the id, the status and APNs' word")
    func description() {
        let refusal = APNSResponse(apnsID: Fixture.id(1), status: 400, reason: .badTopic)
        #expect("\(refusal)" == "\(Fixture.id(1)): 400 BadTopic")
    }
}
