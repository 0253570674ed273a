import Testing
import WaybillCore
import WaybillEncoding

@Suite struct RetentionPolicyTests {
    @Test(arguments: ["30d", "1d", "36500d", "keep"])
    func aPeriodIsReadAndWrittenAlike(text: String) {
        #expect(RetentionPolicy.Period(text)?.description == text)
    }

    @Test(arguments: [
        "", "d", "0d", "-1d", "+1d", "30", "30 d", "30h", "Keep", "36501d", "1.5d", "99999999999999999999d",
    ])
    func anythingElseIsNoPeriod(text: String) {
        #expect(RetentionPolicy.Period(text) == nil)
    }
}

/// What a configuration that names clients does with those that it does not name.
@Suite struct UnknownClientTests {
    private static let day: Int64 = 86_400_000

    private static func policy(_ unknown: RetentionPolicy.Unknown) -> RetentionPolicy {
        RetentionPolicy(
            default: .days(1),
            clients: ["contoso": .keep, "acme": .days(2)],
            otherClients: ["initech"],
            unknown: unknown
        )
    }

    @Test(arguments: [
        (client: String?.none, unknown: RetentionPolicy.Unknown.keep, expected: Int64?.some(day)),
        ("Contoso", .keep, nil), ("contoso", .keep, nil), ("acme", .keep, 2 * day), ("initech", .keep, day),
        (nil, .default, day), ("Contoso", .default, day), ("contoso", .default, nil), ("initech", .default, day),
        (nil, .reject, day), ("Contoso", .reject, nil), ("acme", .reject, 2 * day),
    ])
    func aSlipInANameDeletesNothing(client: String?, unknown: RetentionPolicy.Unknown, expected: Int64?) {
        #expect(Self.policy(unknown).expiresAt(date: 0, client: client) == expected)
        #expect(Self.policy(unknown).isUnknown(client) == (client == "Contoso"))
    }

    @Test func whereNobodyIsNamedNobodyIsUnknown() {
        let policy = RetentionPolicy(default: .days(1))
        #expect(policy.expiresAt(date: 0, client: "anybody") == Self.day)
        #expect(!policy.isUnknown("anybody"))
    }
}
