import Testing

@testable import WaybillAccounts

struct KeyCacheTests {
    private static let now: Int64 = 1_700_000_000_000
    private let digest = KeySecret.generate(mode: .live).digest

    private func key(expiresAt: Int64? = nil, lastUsedAt: Int64? = nil, revokedAt: Int64? = nil) -> AccessKey {
        AccessKey(
            id: "key_a",
            mode: .live,
            lastFour: "abcd",
            name: "a",
            role: .reader,
            clients: .all,
            createdBy: "test",
            createdAt: 0,
            expiresAt: expiresAt,
            lastUsedAt: lastUsedAt,
            revokedAt: revokedAt
        )
    }

    @Test func anAnswerHoldsForHalfAMinute() {
        var cache = KeyCache()
        #expect(cache.key(digest, now: Self.now) == nil)
        cache.keep(key(), digest, now: Self.now)
        #expect(cache.key(digest, now: Self.now + 29_999)?.id == "key_a")
        #expect(cache.key(digest, now: Self.now + 30_000) == nil)
        #expect(cache.key(digest, now: Self.now - 1) == nil)
        #expect(cache.key(KeySecret.generate(mode: .live).digest, now: Self.now) == nil)
    }

    @Test func aKeyThatEndsMeanwhileIsNotGoodAnyMore() {
        var cache = KeyCache()
        cache.keep(key(expiresAt: Self.now + 10), digest, now: Self.now)
        #expect(cache.key(digest, now: Self.now + 9) != nil)
        #expect(cache.key(digest, now: Self.now + 10) == nil)
    }

    @Test func aUseIsNotedOnceAMinute() {
        var cache = KeyCache()
        func notes(_ now: Int64) -> Bool { cache.mayNoteUse(digest, now: now) }
        #expect(notes(Self.now) == false)
        cache.keep(key(), digest, now: Self.now)
        #expect(notes(Self.now) == true)
        #expect(notes(Self.now + 59_999) == false)
        // What the store said before does not count against what was noted here.
        cache.keep(key(), digest, now: Self.now + 40_000)
        #expect(notes(Self.now + 59_999) == false)
        #expect(notes(Self.now + 60_000) == true)
    }

    @Test func aUseThatAnotherProcessNotedCounts() {
        var cache = KeyCache()
        cache.keep(key(lastUsedAt: Self.now - 1000), digest, now: Self.now)
        let isNoted = cache.mayNoteUse(digest, now: Self.now)
        #expect(!isNoted)
    }

    @Test func itIsBounded() {
        var cache = KeyCache()
        let digests = (0..<1500).map { _ in KeySecret.generate(mode: .live).digest }
        for digest in digests { cache.keep(key(), digest, now: Self.now) }
        #expect(digests.count { cache.key($0, now: Self.now) != nil } <= 1000)
        #expect(cache.key(digests[1499], now: Self.now) != nil)
    }

    @Test(arguments: [
        (Int64?.none, Int64?.none, String?.none, AccessKey.State.live),
        (now, nil, nil, .expired),
        (now + 1, nil, nil, .live),
        (now + 1, nil, "key_b", .replaced),
        (now - 1, nil, "key_b", .expired),
        (now - 1, now - 5, nil, .revoked),
    ])
    func states(expiresAt: Int64?, revokedAt: Int64?, replacedBy: String?, state: AccessKey.State) {
        var key = key(expiresAt: expiresAt, revokedAt: revokedAt)
        key.replacedBy = replacedBy
        #expect(key.state(now: Self.now) == state)
        #expect(key.isGood(now: Self.now) == [.live, .replaced].contains(state))
    }
}
