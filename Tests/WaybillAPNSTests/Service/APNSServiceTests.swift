import Testing
import WaybillPushTransport
import WaybillThreads

@testable import WaybillAPNS

@Suite("APNs' rules, as the transport asks for them")
struct APNSServiceTests {
    private static let now: Int64 = 1_767_225_600

    private static func service(
        onOutcomes: @escaping @Sendable (Int, [APNSOutcome]) -> Void = { _, _ in }
    ) -> APNSService {
        APNSService(lane: 3, authority: "api.push.apple.com", onOutcomes: onOutcomes)
    }

    private static func read(_ status: Int, _ body: String) -> ReadAnswer {
        let service = service()
        let batch = service.keep(Fixture.batch(count: 1))
        let answer = RawAnswer(status: status, body: Array(body.utf8), headers: nil)
        return service.read(answer, to: RequestID(batch: batch.number, position: 0), at: now)
    }

    @Test(
        "What an answer means for a lane while it runs",
        arguments: [
            (200, "", AnswerVerdict.final), (400, "BadDeviceToken", .final), (400, "BadTopic", .final),
            (400, "IdleTimeout", .reconnect), (403, "ExpiredProviderToken", .tokenRefused(.expired)),
            (403, "UnrelatedKeyIdInToken", .reconnect), (403, "InvalidProviderToken", .credentialsRefused),
            (403, "New", .credentialsRefused), (410, "Unregistered", .final), (413, "PayloadTooLarge", .final),
            (429, "TooManyProviderTokenUpdates", .tokenRefused(.throttled)), (429, "TooManyRequests", .final),
            (500, "InternalServerError", .final), (503, "Shutdown", .reconnect), (503, "ServiceUnavailable", .final),
        ]
    )
    func verdict(status: Int, reason: String, expected: AnswerVerdict) {
        let reading = Self.read(status, reason.isEmpty ? "" : #"{"reason":"\#(reason)"}"#)
        #expect(reading.verdict == expected)
        #expect(reading.answer.reason == (reason.isEmpty ? nil : reason))
    }

    @Test(
        "Where producers share a lane, only the lane's own topics speak for its token",
        arguments: [
            (nil, true), (Fixture.batch(count: 1).requests[0].topic, true), ("com.example.another", false),
        ] as [(String?, Bool)]
    )
    func sharedLane(bundleID: String?, isRefused: Bool) {
        let service = APNSService(lane: 0, authority: "api.push.apple.com", tokenBundleID: bundleID) { _, _ in }
        let batch = service.keep(Fixture.batch(count: 1))
        for (status, reason, refusal) in [
            (403, "ExpiredProviderToken", TokenRefusal.expired), (429, "TooManyProviderTokenUpdates", .throttled),
        ] {
            let answer = RawAnswer(status: status, body: Array(#"{"reason":"\#(reason)"}"#.utf8), headers: nil)
            let reading = service.read(answer, to: RequestID(batch: batch.number, position: 0), at: Self.now)
            #expect(reading.verdict == (isRefused ? .tokenRefused(refusal) : .final))
            #expect(!reading.provesCredentials)
        }
    }

    @Test("An answer about the credentials proves nothing, any other shows that they are good")
    func proof() {
        for status in [401, 403, 429, 500, 503] { #expect(!Self.read(status, "").provesCredentials) }
        #expect(!Self.read(400, #"{"reason":"IdleTimeout"}"#).provesCredentials)
        for status in [200, 400, 410] { #expect(Self.read(status, "").provesCredentials) }
    }

    @Test("Only a 410 has a time")
    func timestamp() {
        let body = #"{"reason":"Unregistered","timestamp":1767225600123}"#
        #expect(Self.read(410, body).answer.goneSince == 1_767_225_600_123)
        #expect(Self.read(400, body).answer.goneSince == nil)
    }

    @Test("Numbers of batches are used again, and an outcome finds its owner and its index")
    func batches() throws {
        let told = Guarded<[APNSOutcome]>([])
        let service = Self.service { lane, outcomes in
            #expect(lane == 3)
            told.withLock { $0 += outcomes }
        }
        let owners = (0..<3).map(NumberedOwner.init)
        func batch(_ owner: Int, _ indexes: ClosedRange<Int>) -> APNSRequestBatch {
            APNSRequestBatch(owner: owners[owner], requests: indexes.map { Fixture.request(index: $0) })
        }
        let first = service.keep(batch(0, 0...1))
        let second = service.keep(batch(1, 5...6))
        #expect(first.number != second.number)
        #expect(first.count == 2)
        service.release(batch: first.number)
        let third = service.keep(batch(2, 7...9))
        #expect(third.number == first.number)
        let result = PushResult.failed(.notSent(.parked))
        for (batch, position) in [(second, 1), (third, 2)] {
            service.ended(
                RequestID(batch: batch.number, position: position),
                RequestEnd(result: result, latency: 0, attempts: 0, history: [], body: [], headers: nil)
            )
        }
        #expect(told.withLock { $0.isEmpty }, "before the end of the turn")
        service.handOut()
        service.handOut()
        let outcomes = told.withLock { $0 }
        #expect(outcomes.map(\.index) == [6, 9])
        #expect(outcomes.map { ($0.owner as? NumberedOwner)?.number } == [1, 2])
        #expect(outcomes.allSatisfy { $0.result == .failed(.notSent(.parked)) && $0.details == nil })
    }

    @Test("Every deadline is the transport's, too")
    func deadlines() {
        var own = APNSDeadlines()
        for (number, path) in Self.paths.enumerated() { own[keyPath: path] = .seconds(number + 1) }
        #expect(own.all.map(\.value) == (1...Self.paths.count).map { .seconds($0) })
        let translated = Mirror(reflecting: TransportDeadlines(own)).children.map { ($0.label, $0.value as? Duration) }
        #expect(translated.map(\.0) == own.all.map(\.name))
        #expect(translated.map(\.1) == own.all.map(\.value))
    }

    private static let paths: [any WritableKeyPath<APNSDeadlines, Duration> & Sendable] = [
        \.resolve, \.connect, \.nextAddress, \.handshake, \.settings, \.request, \.pingInterval, \.pingAnswer, \.close,
        \.idleSurplus, \.unreachable, \.waiting,
    ]
}
