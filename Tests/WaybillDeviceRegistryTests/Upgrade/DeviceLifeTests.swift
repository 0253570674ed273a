import Testing

@testable import WaybillDeviceRegistry

struct DeviceLifeTests {
    struct Case: Sendable, CustomStringConvertible {
        let description: String
        let one: DeviceLife
        let other: DeviceLife
        let expected: DeviceLife

        init(_ description: String, _ one: DeviceLife, _ other: DeviceLife, _ expected: DeviceLife) {
            self.description = description
            self.one = one
            self.other = other
            self.expected = expected
        }
    }

    static let cases: [Case] = [
        Case("registered twice", alive(10), alive(20), alive(20)),
        Case("registered nobody knows when", alive(nil), alive(nil), alive(nil)),
        Case("dead before it was registered", dead(15), alive(20), alive(20)),
        Case("dead since it was registered", dead(20), alive(20), dead(20, registered: 20)),
        Case("dead, registered nobody knows when", dead(20), alive(nil), dead(20)),
        Case("dead twice: the later end", dead(20), dead(30), dead(30)),
        Case("disabled without a date of death", disabled(20), alive(21), alive(21)),
        Case("disabled, registered before", disabled(20), alive(19), disabled(20, registered: 19)),
        Case(
            "dead, and registered after one of the ends",
            dead(30),
            dead(10, registered: 20),
            dead(30, registered: 20)
        ),
        Case("dead, and seen later", dead(30), seen(31), seen(31)),
        Case("suspected twice: the later suspicion", suspected(5, "a"), suspected(6, "b"), suspected(6, "b")),
        Case("suspected once", suspected(5, "a"), alive(nil), suspected(5, "a")),
    ]

    @Test(arguments: cases)
    func bothSayTogether(_ example: Case) {
        #expect(example.one.merged(with: example.other) == example.expected)
        #expect(example.other.merged(with: example.one) == example.expected)
        // Merged again after a crash, nothing changes.
        #expect(example.expected.merged(with: example.other) == example.expected)
    }

    private static func alive(_ registeredAt: Int64?) -> DeviceLife {
        var life = DeviceLife()
        life.registeredAt = registeredAt
        return life
    }

    private static func seen(_ seenAt: Int64) -> DeviceLife {
        var life = DeviceLife()
        life.seenAt = seenAt
        return life
    }

    private static func dead(_ since: Int64, registered: Int64? = nil) -> DeviceLife {
        var life = disabled(since + 1000, registered: registered)
        life.invalidSince = since
        return life
    }

    private static func disabled(_ at: Int64, registered: Int64? = nil) -> DeviceLife {
        var life = alive(registered)
        life.isEnabled = false
        life.disabledAt = at
        life.disabledReason = "Unregistered"
        return life
    }

    private static func suspected(_ at: Int64, _ reason: String) -> DeviceLife {
        var life = DeviceLife()
        life.suspectedAt = at
        life.suspectedReason = reason
        return life
    }
}
