package import WaybillCore
package import WaybillDeviceRegistry

/// The table that the pure decision and the live registry are both held against.
package enum RemovalCases {
    package struct Case: Sendable {
        package let name: String
        package let event: InvalidTokenEvent
        package let registration: DeviceRegistration?
        package let expected: Removal

        init(
            _ name: String,
            _ event: InvalidTokenEvent,
            _ registration: DeviceRegistration?,
            _ expected: Removal
        ) {
            self.name = name
            self.event = event
            self.registration = registration
            self.expected = expected
        }
    }

    package static let invalidSince: Int64 = 1_763_600_000_000
    package static let observedAt: Int64 = 1_763_700_000_000

    package static let all: [Case] = [
        Case("dead, unknown", dead(), nil, .tombstone),
        Case("dead, unknown, no timestamp", dead(since: nil), nil, .tombstone),
        Case("dead, registered nobody knows when", dead(), registered(nil), .disable),
        Case("dead, no timestamp, registered nobody knows when", dead(since: nil), registered(nil), .disable),
        Case("dead, registered long before", dead(), registered(invalidSince - 1_000_000), .disable),
        Case("dead, registered at that very time", dead(), registered(invalidSince), .disable),
        Case("dead, registered a moment later", dead(), registered(invalidSince + 1), .newerRegistration),
        Case("dead, registered after the answer", dead(), registered(observedAt + 1), .newerRegistration),
        Case(
            "dead, registered before and seen after",
            dead(),
            DeviceRegistration(registeredAt: invalidSince - 1, seenAt: invalidSince + 1),
            .newerRegistration
        ),
        Case(
            "dead, registered and seen before",
            dead(),
            DeviceRegistration(registeredAt: invalidSince - 2, seenAt: invalidSince),
            .disable
        ),
        Case(
            "dead, no timestamp, seen nobody knows when it was registered",
            dead(since: nil),
            DeviceRegistration(seenAt: observedAt - 1),
            .suspect
        ),
        Case(
            "suspect, seen after",
            suspect(),
            DeviceRegistration(registeredAt: 1, seenAt: observedAt + 1),
            .newerRegistration
        ),
        Case("dead, registered at no readable time", dead(), registered(.max), .newerRegistration),
        Case("dead, no timestamp, registered before", dead(since: nil), registered(observedAt - 1), .suspect),
        Case("dead, no timestamp, registered after", dead(since: nil), registered(observedAt + 1), .newerRegistration),
        Case(
            "dead, suspected before",
            dead(),
            DeviceRegistration(registeredAt: invalidSince - 1, suspectedAt: invalidSince),
            .disable
        ),
        Case(
            "dead, no timestamp, suspected before",
            dead(since: nil),
            DeviceRegistration(registeredAt: invalidSince, suspectedAt: invalidSince),
            .already
        ),
        Case("dead, a tombstone", dead(), DeviceRegistration(isEnabled: false), .already),
        Case("dead, disabled", dead(), DeviceRegistration(registeredAt: 1, isEnabled: false), .already),
        Case("suspect, unknown", suspect(), nil, .unknownDevice),
        Case("suspect, registered nobody knows when", suspect(), registered(nil), .suspect),
        Case("suspect, registered before", suspect(), registered(observedAt), .suspect),
        Case("suspect, registered after", suspect(), registered(observedAt + 1), .newerRegistration),
        Case("suspect, suspected before", suspect(), DeviceRegistration(suspectedAt: 5), .already),
        Case("suspect, disabled", suspect(), DeviceRegistration(isEnabled: false), .already),
    ]

    package static func dead(token: String = "ab12", since: Int64? = invalidSince) -> InvalidTokenEvent {
        event(token: token, since: since, verdict: .dead, reason: "Unregistered", status: 410)
    }

    package static func suspect(token: String = "ab12") -> InvalidTokenEvent {
        event(token: token, since: nil, verdict: .suspect, reason: "BadDeviceToken", status: 400)
    }

    private static func registered(_ time: Int64?) -> DeviceRegistration { DeviceRegistration(registeredAt: time) }

    private static func event(
        token: String,
        since: Int64?,
        verdict: TokenVerdict,
        reason: String,
        status: Int
    ) -> InvalidTokenEvent {
        InvalidTokenEvent(
            deviceToken: token,
            reason: reason,
            statusCode: status,
            invalidSince: since,
            observedAt: observedAt,
            notificationID: NotificationID(high: 1, low: 2),
            batchID: "batch-1",
            client: "acme",
            lane: "parcels",
            topic: "com.example.parcels",
            environment: .production,
            verdict: verdict
        )
    }
}
