import Testing

@testable import WaybillAccounts

struct GrantCacheTests {
    static let now: Int64 = 1_700_000_000_000
    let digest = KeySecret.generate(mode: .live).digest

    func key(expiresAt: Int64? = nil, lastUsedAt: Int64? = nil, revokedAt: Int64? = nil) -> AccessKey {
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
        var cache = GrantCache()
        #expect(cache.grant(digest, now: Self.now) == nil)
        cache.keep(AccessGrant(key: key()), digest, now: Self.now)
        #expect(cache.grant(digest, now: Self.now + 29_999)?.key.id == "key_a")
        #expect(cache.grant(digest, now: Self.now + 30_000) == nil)
        #expect(cache.grant(digest, now: Self.now - 1) == nil)
        #expect(cache.grant(KeySecret.generate(mode: .live).digest, now: Self.now) == nil)
    }

    @Test func whileTheStoreDoesNotAnswerItHoldsForTenMinutes() {
        var cache = GrantCache()
        cache.keep(AccessGrant(key: key(expiresAt: Self.now + 500_000)), digest, now: Self.now)
        #expect(cache.grantOfOutage(digest, now: Self.now + 499_999)?.key.id == "key_a")
        #expect(cache.grantOfOutage(digest, now: Self.now + 500_000) == nil, "it has ended by itself")
        cache.keep(AccessGrant(key: key()), digest, now: Self.now)
        #expect(cache.grantOfOutage(digest, now: Self.now + 599_999) != nil)
        #expect(cache.grantOfOutage(digest, now: Self.now + 600_000) == nil)
        #expect(cache.grantOfOutage(digest, now: Self.now - 1) == nil)
    }

    @Test func whatTheStoreCallsEndedIsNotBelievedInAnOutageEither() {
        var cache = GrantCache()
        cache.keep(AccessGrant(key: key()), digest, now: Self.now)
        cache.forget(digest)
        #expect(cache.grantOfOutage(digest, now: Self.now) == nil)
        cache.keep(AccessGrant(key: key()), digest, now: Self.now)
        cache.end(digest, now: Self.now)
        #expect(cache.grantOfOutage(digest, now: Self.now) == nil)
    }

    @Test func aKeyThatEndsMeanwhileIsNotGoodAnyMore() {
        var cache = GrantCache()
        cache.keep(AccessGrant(key: key(expiresAt: Self.now + 10)), digest, now: Self.now)
        #expect(cache.grant(digest, now: Self.now + 9) != nil)
        #expect(cache.grant(digest, now: Self.now + 10) == nil)
    }

    @Test func aUseIsNotedOnceAMinute() {
        var cache = GrantCache()
        func notes(_ now: Int64) -> Bool { cache.mayNoteUse(digest, now: now) }
        #expect(notes(Self.now) == false)
        cache.keep(AccessGrant(key: key()), digest, now: Self.now)
        #expect(notes(Self.now) == true)
        #expect(notes(Self.now + 59_999) == false)
        // What the store said before does not count against what was noted here.
        cache.keep(AccessGrant(key: key()), digest, now: Self.now + 40_000)
        #expect(notes(Self.now + 59_999) == false)
        #expect(notes(Self.now + 60_000) == true)
    }

    @Test func aUseThatAnotherProcessNotedCounts() {
        var cache = GrantCache()
        cache.keep(AccessGrant(key: key(lastUsedAt: Self.now - 1000)), digest, now: Self.now)
        let isNoted = cache.mayNoteUse(digest, now: Self.now)
        #expect(!isNoted)
    }

    @Test func itIsBounded() {
        var cache = GrantCache()
        let digests = (0..<1500).map { _ in KeySecret.generate(mode: .live).digest }
        for digest in digests { cache.keep(AccessGrant(key: key()), digest, now: Self.now) }
        #expect(digests.count { cache.grant($0, now: Self.now) != nil } <= 1000)
        #expect(cache.grant(digests[1499], now: Self.now) != nil)
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

extension GrantCacheTests {
    @Test func whatWasEndedHereIsNotBelievedAgain() {
        var cache = GrantCache()
        let session = Session(id: "a", key: "key_a", createdAt: Self.now, expiresAt: Self.now + 10)
        let grant = AccessGrant(key: key(), session: session)
        cache.keep(grant, digest, now: Self.now)
        #expect(cache.grant(digest, now: Self.now + 9) == grant)
        #expect(cache.grant(digest, now: Self.now + 10) == nil)
        cache.end(digest, now: Self.now + 1)
        #expect(cache.grant(digest, now: Self.now + 1) == nil)
        // What the store had answered before the end comes late.
        cache.keep(grant, digest, now: Self.now + 2)
        #expect(cache.grant(digest, now: Self.now + 2) == nil)
    }

    @Test func aGrantEndsWithItsKeyAndWithItsSession() {
        let session = Session(id: "a", key: "key_a", createdAt: Self.now, expiresAt: Self.now + 10)
        var over = session
        over.endedAt = Self.now
        #expect(AccessGrant(key: key(), session: session).isGood(now: Self.now))
        #expect(!AccessGrant(key: key(), session: session).isGood(now: Self.now + 10))
        #expect(!AccessGrant(key: key(), session: over).isGood(now: Self.now))
        #expect(!AccessGrant(key: key(revokedAt: Self.now), session: session).isGood(now: Self.now))
    }
}
