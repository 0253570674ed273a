import Glibc
import Testing

@testable import WaybillTLS

/// How long sessions are offered, and how many are kept; the time is the test's.
struct SessionCacheTests {
    private let authority: TestAuthority

    init() throws {
        authority = try TestAuthority()
    }

    /// The cache of a context after one session with `localhost`.
    private func filled(_ version: TLSVersion) throws -> SessionCache {
        var options = TLSClientOptions()
        options.trust = .file(authority.path("ca.pem"))
        let client = try TLSContext.client(options)
        let server = try TLSContext.server(
            identity: authority.identity("server"),
            protocols: [],
            versions: version...version
        )
        let pair = try Pair(client: client, server: server)
        defer { pair.close() }
        try pair.shake()
        try pair.exchange()
        return try #require(client.sessions)
    }

    @Test(arguments: ResumptionTests.versions)
    func aSessionIsOfferedUntilItsLifetimeIsOver(version: TLSVersion) throws {
        try authority.issue("server", names: "DNS:localhost")
        let now = time(nil)
        // The server's own limit is two hours.
        for (offset, isOffered) in [(0, true), (7_000, true), (7_300, false)] {
            let cache = try filled(version)
            #expect((cache.session(with: "localhost", at: now + 10 + offset) != nil) == isOffered)
        }
    }

    @Test(arguments: ResumptionTests.versions)
    func aSessionIsNotOfferedBeyondTheServersCertificate(version: TLSVersion) throws {
        try authority.issue("server", names: "DNS:localhost", secondsLeft: 1_800)
        let now = time(nil)
        for (offset, isOffered) in [(0, true), (1_700, true), (1_900, false)] {
            let cache = try filled(version)
            #expect((cache.session(with: "localhost", at: now + 10 + offset) != nil) == isOffered)
        }
    }

    @Test func whatIsOverIsForgotten() throws {
        try authority.issue("server", names: "DNS:localhost")
        let cache = try filled(.tls13)
        let now = time(nil) + 10
        #expect(cache.session(with: "localhost", at: now + 90_000) == nil)
        #expect(cache.session(with: "localhost", at: now) == nil)
    }

    @Test func theNumberOfHostsIsBounded() throws {
        try authority.issue("server", names: "DNS:localhost")
        let now = time(nil) + 10
        let session = try #require(try filled(.tls13).session(with: "localhost", at: now))
        let cache = SessionCache(capacity: 3)
        for number in 0..<10 { cache.remember(session, with: "host-\(number)") }
        let kept = (0..<10).filter { cache.session(with: "host-\($0)", at: now) != nil }
        #expect(kept.count == 3)
        #expect(kept.contains(9))
    }

    @Test func onlyTheSessionThatFailedIsForgotten() throws {
        try authority.issue("server", names: "DNS:localhost")
        let now = time(nil) + 10
        let older = try #require(try filled(.tls13).session(with: "localhost", at: now))
        let newer = try #require(try filled(.tls13).session(with: "localhost", at: now))
        let cache = SessionCache()
        cache.remember(older, with: "localhost")
        cache.remember(newer, with: "localhost")
        cache.forget(older, with: "localhost")
        #expect(cache.session(with: "localhost", at: now) === newer)
        cache.forget(newer, with: "localhost")
        #expect(cache.session(with: "localhost", at: now) == nil)
    }
}
