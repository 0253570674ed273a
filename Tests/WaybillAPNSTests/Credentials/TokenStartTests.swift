import Testing
import WaybillPushTransport
import WaybillTLS
import WaybillThreads

@testable import WaybillAPNS

@Suite("Provider tokens of several starts and hosts, in virtual time")
struct TokenStartTests {
    private let key: ES256PrivateKey

    init() throws {
        key = try ES256PrivateKey.generate()
    }

    /// A process that starts: it knows nothing of those before.
    private func start() throws -> APNSProviderTokenSource {
        try APNSProviderTokenSource(teamID: "ABCDE12345", keyID: "ABC123DEFG", key: key)
    }

    private func token(_ source: APNSProviderTokenSource, at now: ClockReading) throws -> [UInt8] {
        try #require(try source.current(at: now) { Issue.record("nobody waits for a key of our own") }).authorization
    }

    @Test("Four starts within minutes make one token")
    func crashLoop() throws {
        let tokens = try [0, 2, 5, 19].map { try token(start(), at: .minute($0)) }
        #expect(Set(tokens).count == 1)
    }

    @Test(
        "Wherever in a slot it starts: never past an hour, never twice in 20 minutes, and in step with all after that"
    )
    func lateStarts() throws {
        let reference = try start()
        for first in 0..<48 {
            let source = try start()
            var last: (token: [UInt8], since: Int)?
            for minute in first..<(first + 8 * 60) {
                let now = ClockReading.minute(minute)
                let current = try #require(try source.current(at: now, whenReady: {}))
                #expect(now.unixSeconds - current.issuedAt < 50 * 60)
                guard current.authorization != last?.token else { continue }
                if let last {
                    #expect(minute - last.since >= 20)
                    #expect(minute % 24 == 0, "it changes where a slot ends")
                }
                last = (current.authorization, minute)
            }
        }
        for minute in 0..<(8 * 60) { _ = try token(reference, at: .minute(minute)) }
        #expect(try token(reference, at: .minute(480)) == token(start(), at: .minute(480)))
    }

    @Test("A restart at whatever moment shows APNs no token within 20 minutes of the one before")
    func restart() throws {
        for moment in 1..<150 {
            var seen: [[UInt8]: Int] = [:]
            var source = try start()
            for minute in 0..<200 {
                if minute == moment { source = try start() }
                let token = try token(source, at: .minute(minute))
                if seen[token] == nil { seen[token] = minute }
            }
            let times = seen.values.sorted()
            for (earlier, later) in zip(times, times.dropFirst()) { #expect(later - earlier >= 20) }
        }
    }

    @Test("Sources of one key know each other, from whatever file; those of another key, id or team do not")
    func identity() throws {
        let source = try start()
        let pem = key.pem
        let copy = try APNSProviderTokenSource(teamID: "ABCDE12345", keyID: "ABC123DEFG", keyPEM: pem)
        #expect(source.identity != nil)
        #expect(copy.identity == source.identity)
        let others = [
            try APNSProviderTokenSource(teamID: "ABCDE12346", keyID: "ABC123DEFG", keyPEM: pem),
            try APNSProviderTokenSource(teamID: "ABCDE12345", keyID: "ABC123DEFH", keyPEM: pem),
            try APNSProviderTokenSource(teamID: "ABCDE12345", keyID: "ABC123DEFG", key: .generate()),
        ]
        for other in others { #expect(other.identity != source.identity) }
        let signed = try APNSProviderTokenSource(teamID: "ABCDE12345", keyID: "ABC123DEFG", signer: GatedSigner())
        #expect(signed.identity == nil)
    }
}
