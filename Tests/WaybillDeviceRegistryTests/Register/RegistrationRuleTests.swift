import Testing

@testable import WaybillDeviceRegistry

struct RegistrationRuleTests {
    struct Case: Sendable, CustomStringConvertible {
        let description: String
        let time: Int64?
        let changes: Bool
        let life: DeviceLife?
        let expected: RegistrationOutcome

        init(
            _ description: String,
            _ time: Int64?,
            _ life: DeviceLife?,
            _ expected: RegistrationOutcome,
            changes: Bool = false
        ) {
            self.description = description
            self.time = time
            self.changes = changes
            self.life = life
            self.expected = expected
        }
    }

    static let hour = RegistrationRule.seenInterval

    static let cases: [Case] = [
        Case("unknown", 100, nil, .registered),
        Case("unknown, nobody knows when", nil, nil, .registered),
        Case("a moment later", 101, life(100), .recent),
        Case("at the same time", 100, life(100), .recent),
        Case("nearly an hour later", 99 + hour, life(100), .recent),
        Case("an hour later", 100 + hour, life(100), .seen),
        Case("an hour after it was seen", 200 + hour, life(100, seen: 200), .seen),
        Case("nearly an hour after it was seen", 199 + hour, life(100, seen: 200), .recent),
        Case("with news", 101, life(100), .updated, changes: true),
        Case("with news, an hour later", 100 + hour, life(100), .seen, changes: true),
        Case("with old news", 99, life(100), .older, changes: true),
        Case("before it was seen", 150, life(100, seen: 200), .older, changes: true),
        Case("nobody knows when, nothing new", nil, life(100), .recent),
        Case("nobody knows when, with news", nil, life(100), .updated, changes: true),
        Case("the first known time", 100, life(nil), .updated),
        Case("after its death", 201, dead(since: 200), .again),
        Case("at its death", 200, dead(since: 200), .older),
        Case("before its death", 199, dead(since: 200), .older, changes: true),
        Case("after its death, before anybody heard of that", 250, dead(since: 200, observed: 300), .again),
        Case("dead, nobody knows when", nil, dead(since: 200), .older, changes: true),
        Case("after it was disabled", 301, disabled(300), .again),
        Case("before it was disabled", 299, disabled(300), .older),
        Case("disabled nobody knows when", 301, disabled(nil), .older),
        Case("a suspect, later", 201, suspected(200), .again),
        Case("a suspect, before", 199, suspected(200), .recent),
        Case("a suspect that nobody knows when it was registered", 201, suspected(200, registered: nil), .again),
    ]

    @Test(arguments: cases)
    func decisions(_ example: Case) {
        #expect(RegistrationRule.decide(time: example.time, changes: example.changes, example.life) == example.expected)
    }

    /// A token under another id is that id's latest, however soon it comes.
    @Test func aTokenThatMovesIsSeen() {
        #expect(RegistrationRule.decide(time: 101, changes: true, moves: true, Self.life(100)) == .seen)
        #expect(RegistrationRule.decide(time: 99, changes: true, moves: true, Self.life(100)) == .older)
    }

    private static func life(_ registeredAt: Int64?, seen: Int64? = nil) -> DeviceLife {
        var life = DeviceLife()
        life.registeredAt = registeredAt
        life.seenAt = seen
        return life
    }

    private static func disabled(_ at: Int64?) -> DeviceLife {
        var life = life(100)
        life.isEnabled = false
        life.disabledAt = at
        return life
    }

    private static func dead(since: Int64, observed: Int64 = 220) -> DeviceLife {
        var life = disabled(observed)
        life.invalidSince = since
        return life
    }

    private static func suspected(_ at: Int64, registered: Int64? = 100) -> DeviceLife {
        var life = life(registered)
        life.suspectedAt = at
        return life
    }
}
