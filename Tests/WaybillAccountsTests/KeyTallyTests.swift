import Testing

@testable import WaybillAccounts

struct KeyTallyTests {
    private static let day: Int64 = 86_400_000
    private static let now = 100 * day

    private func key(expiresAt: Int64? = nil, replacedBy: String? = nil, revokedAt: Int64? = nil) -> AccessKey {
        AccessKey(
            id: "key_0123456789",
            mode: .live,
            lastFour: "abcd",
            name: "a test",
            role: .reader,
            clients: .all,
            createdBy: "anna@host",
            createdAt: 0,
            expiresAt: expiresAt,
            replacedBy: replacedBy,
            revokedAt: revokedAt
        )
    }

    @Test func eachKeyIsOfOneKind() {
        let keys = [
            key(), key(expiresAt: Self.now + 15 * Self.day),
            key(expiresAt: Self.now + 14 * Self.day),
            key(expiresAt: Self.now + Self.day, replacedBy: "key_1"),
            key(expiresAt: Self.now), key(expiresAt: Self.now - 1, replacedBy: "key_1"),
            key(revokedAt: Self.now), key(expiresAt: Self.now + Self.day, revokedAt: Self.now - 1),
        ]
        let tally = KeyTally(keys, now: Self.now)
        #expect(KeyTally.Kind.allCases.map { tally[$0] } == [2, 1, 1, 2, 2])
        #expect(KeyTally.Kind.allCases.allSatisfy { KeyTally()[$0] == 0 })
    }
}
