import Testing
import WaybillPushTransport

@testable import WaybillAPNS

@Suite("What a missing answer means to the caller")
struct FailureTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let cause: PushFailureCause
        let code: APNSError.Code
        var field: String?

        init(_ cause: PushFailureCause, _ code: APNSError.Code, field: String? = nil) {
            self.cause = cause
            self.code = code
            self.field = field
        }

        var testDescription: String { cause.word }
    }

    static let rows = [
        Row(.expired, .expired),
        Row(.unreachable(), .unreachable),
        Row(.unreachable("127.0.0.1:8443: Connection refused"), .unreachable),
        Row(.credentials(), .credentials),
        Row(.credentials("the key's signer has not answered yet"), .credentials),
        Row(.closed, .closed),
        Row(.cancelled, .cancelled),
        Row(.parked, .cancelled),
        Row(.timeout, .timeout),
        Row(.connectionLost(), .connection),
        Row(.connectionLost("the server closed the connection"), .connection),
        Row(.goAway, .connection),
        Row(.refusedStream, .connection),
        Row(.reset(2), .connection),
        Row(.reset(11), .connection),
        Row(.invalid("invalid_device_token"), .invalidNotification, field: "deviceToken"),
        Row(.invalid("invalid_topic"), .invalidNotification, field: "topic"),
        Row(.invalid("invalid_push_type"), .invalidNotification, field: "pushType"),
        Row(.invalid("invalid_collapse_id"), .invalidNotification, field: "collapseID"),
        Row(.invalid("invalid_header"), .invalidNotification, field: "header"),
    ]

    @Test("The table has a row for every kind")
    func complete() {
        #expect(Set(Self.rows.map { Self.kind(of: $0.cause) }) == Set(0...11))
    }

    /// A number for each kind; a kind that comes new does not compile without one.
    private static func kind(of cause: PushFailureCause) -> Int {
        switch cause {
        case .unreachable: 0
        case .credentials: 1
        case .expired: 2
        case .parked: 3
        case .cancelled: 4
        case .closed: 5
        case .invalid: 6
        case .timeout: 7
        case .goAway: 8
        case .refusedStream: 9
        case .reset: 10
        case .connectionLost: 11
        }
    }

    @Test("Each cause has its code, whichever the fate, and the fate is the failure's own", arguments: rows)
    func causes(row: Row) {
        let attempts = [APNSAttempt(date: 7, result: .unanswered(.notSent, cause: "goaway"))]
        let notSent = APNSError(.notSent(row.cause), apnsID: Fixture.id(3), attempts: attempts)
        let unknown = APNSError(.unknown(row.cause), apnsID: Fixture.id(3), attempts: attempts)
        #expect(notSent.fate == .notSent)
        #expect(unknown.fate == .unknown)
        for error in [notSent, unknown] {
            #expect(error.code == row.code)
            #expect(error.field == row.field)
            #expect(error.cause == row.cause.text)
            #expect(error.text.count > (row.cause.text ?? "").count)
            #expect(error.text.hasSuffix(row.cause.text ?? ""))
            #expect(error.apnsID == Fixture.id(3))
            #expect(error.attempts == attempts)
        }
    }

    @Test("The texts say whether it was sent", arguments: [PushFailureCause.timeout, .closed, .connectionLost()])
    func texts(cause: PushFailureCause) {
        let notSent = APNSError(.notSent(cause), apnsID: Fixture.id(3), attempts: [])
        let unknown = APNSError(.unknown(cause), apnsID: Fixture.id(3), attempts: [])
        #expect(notSent.text != unknown.text)
        #expect(unknown.text.contains("answer"))
    }

    @Test("The error code of a reset is in the text")
    func reset() {
        let error = APNSError(.unknown(.reset(11)), apnsID: Fixture.id(3), attempts: [])
        #expect(error.text.hasSuffix("error code 11"))
    }

    @Test("The words of records stay what they are")
    func words() {
        let words = Self.rows.map(\.cause.word)
        #expect(
            Set(words) == [
                "expired", "unreachable", "credentials", "closed", "cancelled", "lane parked", "timeout",
                "connection_lost", "goaway", "refused_stream", "reset_2", "reset_11", "invalid_device_token",
                "invalid_topic", "invalid_push_type", "invalid_collapse_id", "invalid_header",
            ]
        )
    }
}
