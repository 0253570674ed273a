import Testing
import WaybillEncoding

@testable import WaybillAccounts
@testable import waybill

@Suite("Keys as text")
struct KeyTableTests {
    private static let now: Int64 = 1_700_000_000_000

    private static let keys = [
        AccessKey(
            id: "key_4fK9qTz0Lm",
            mode: .live,
            lastFour: "aZ09",
            name: "support desk",
            role: .investigator,
            clients: .only(["globex", "acme"]),
            createdBy: "ops@host",
            createdAt: now,
            expiresAt: now + 60_000,
            replacedBy: "key_0000000000"
        ),
        AccessKey(
            id: "key_0000000000",
            mode: .live,
            lastFour: "bcde",
            name: "dash\u{1b}[31mboard",
            role: .reader,
            clients: .all,
            createdBy: "ops@host",
            createdAt: now,
            lastUsedAt: now
        ),
    ]

    @Test("a line says what a key may do, and nothing of a name reaches the terminal's controls")
    func table() {
        let lines = KeyTable(width: nil, now: Self.now).lines(Self.keys)
        #expect(lines.count == 3)
        #expect(lines[1].split(separator: " ").prefix(3) == ["key_4fK9qTz0Lm", "wbk_live_…aZ09", "replaced"])
        #expect(lines[1].contains("acme, globex"))
        #expect(lines[1].contains("2023-11-14 22:14"))
        #expect(lines[2].contains("reader"))
        #expect(!lines[2].contains("\u{1b}"))
    }

    @Test("for programs, with the fields of the store but the hash")
    func json() {
        #expect(
            KeyJSON.object(Self.keys[0], now: Self.now).text == """
                {"id":"key_4fK9qTz0Lm","name":"support desk","role":"investigator","clients":["acme","globex"],"mode":"live",\
                "last_four":"aZ09","state":"replaced","created_by":"ops@host","created_at":"2023-11-14T22:13:20.000Z",\
                "expires_at":"2023-11-14T22:14:20.000Z","replaced_by":"key_0000000000"}
                """
        )
    }
}
