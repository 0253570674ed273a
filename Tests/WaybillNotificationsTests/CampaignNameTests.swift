import Testing

@testable import WaybillNotifications

struct CampaignNameTests {
    @Test(
        "a name that somebody can type, see and put into a path is taken",
        arguments: ["autumn", "news 7", "-x", "...", "a.b", "élan", "週報", "<b>", String(repeating: "a", count: 200)]
    )
    func good(name: String) { #expect(CampaignName.problem(name) == nil) }

    @Test(
        "every other one is refused, with the limit",
        arguments: [
            ("", "1 to 200 bytes"), (String(repeating: "a", count: 201), "1 to 200 bytes"),
            (String(repeating: "é", count: 101), "1 to 200 bytes"), (".", "must not be . or .."),
            ("..", "must not be . or .."), ("a/b", "slash"), ("/", "slash"), ("a\nb", "control"),
            ("a\u{0}", "control"), ("\u{202e}nutua", "control"), ("a\u{200b}b", "control"), ("a\u{2028}b", "control"),
            (" a", "space"), ("a ", "space"), ("a\u{3164}", "nobody sees"), ("\u{115F}", "nobody sees"),
            ("a\u{A0}b", "plain space"), ("a\u{3000}", "plain space"), ("a\u{FE0F}", "nobody sees"),
            ("a\u{2800}", "nobody sees"), ("e\u{301}lan", "NFC"), ("\u{212B}", "NFC"),
        ]
    )
    func bad(name: String, says: String) {
        #expect(CampaignName.problem(name)?.contains(says) == true)
    }
}
