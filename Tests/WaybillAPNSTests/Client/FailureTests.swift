import Testing

@testable import WaybillAPNS

@Suite("What a missing answer means to the caller")
struct FailureTests {
    struct Row: Sendable {
        let word: String
        let notSent: APNSError.Code
        let unknown: APNSError.Code
        var field: String?

        init(_ word: String, _ notSent: APNSError.Code, _ unknown: APNSError.Code? = nil, field: String? = nil) {
            self.word = word
            self.notSent = notSent
            self.unknown = unknown ?? notSent
            self.field = field
        }
    }

    static let rows = [
        Row("expired", .expired),
        Row("unreachable", .unreachable),
        Row("credentials", .credentials),
        Row("closed", .closed),
        Row("cancelled", .cancelled),
        Row("lane parked", .cancelled),
        Row("timeout", .timeout),
        Row("connection_lost", .connection),
        Row("goaway", .connection),
        Row("refused_stream", .connection),
        Row("reset_2", .connection),
        Row("reset_11", .connection),
        Row("invalid_device_token", .invalidNotification, field: "deviceToken"),
        Row("invalid_topic", .invalidNotification, field: "topic"),
        Row("invalid_push_type", .invalidNotification, field: "pushType"),
        Row("invalid_collapse_id", .invalidNotification, field: "collapseID"),
        Row("invalid_header", .invalidNotification, field: "header"),
        Row("a word of tomorrow", .connection),
    ]

    @Test("Each word has its code, whichever the fate, and the fate is the failure's own", arguments: rows)
    func words(row: Row) {
        let attempts = [APNSAttempt(date: 7, result: .failed(.notSent("goaway")))]
        let notSent = APNSError(.notSent(row.word), apnsID: Fixture.id(3), attempts: attempts)
        #expect(notSent.code == row.notSent)
        #expect(notSent.fate == .notSent)
        let unknown = APNSError(.unknown(row.word), apnsID: Fixture.id(3), attempts: attempts)
        #expect(unknown.code == row.unknown)
        #expect(unknown.fate == .unknown)
        for error in [notSent, unknown] {
            #expect(error.field == row.field)
            #expect(!error.text.isEmpty)
            #expect(error.apnsID == Fixture.id(3))
            #expect(error.attempts == attempts)
        }
    }

    @Test("The texts say whether it was sent", arguments: ["timeout", "closed", "connection_lost"])
    func texts(word: String) {
        let notSent = APNSError(.notSent(word), apnsID: Fixture.id(3), attempts: [])
        let unknown = APNSError(.unknown(word), apnsID: Fixture.id(3), attempts: [])
        #expect(notSent.text != unknown.text)
        #expect(unknown.text.contains("answer"))
    }

    @Test("The error code of a reset is in the text")
    func reset() {
        let error = APNSError(.unknown("reset_11"), apnsID: Fixture.id(3), attempts: [])
        #expect(error.text.hasSuffix("error code 11"))
    }
}
