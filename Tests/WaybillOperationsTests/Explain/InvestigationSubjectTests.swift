import Testing
import WaybillCore
import WaybillOperations

@Suite struct InvestigationSubjectTests {
    private static let token = String(repeating: "0aF", count: 22)

    @Test(
        arguments: [
            (token, InvestigationSubject.token(Array(token.lowercased().utf8))),
            (token + "a", .batch(token + "a")),
            ("00aa", .batch("00aa")),
            ("00000000-0000-0007-0000-000000000001", .notification(NotificationID(high: 7, low: 1))),
            ("campaign-42", .batch("campaign-42")),
            ("00000000-0000-0007-0000-00000000000", .batch("00000000-0000-0007-0000-00000000000")),
            ("", nil),
        ] as [(String, InvestigationSubject?)]
    )
    func itsFormTellsWhatItIs(text: String, expected: InvestigationSubject?) {
        #expect(InvestigationSubject(recognising: text) == expected)
    }

    /// Whoever keeps a text from the command line has a token, mostly; FCM's may be of any length.
    @Test(
        arguments: [
            ("abc:APA91-x_Y", .token(Array("abc:APA91-x_Y".utf8))), ("a:b", .token(Array("a:b".utf8))),
            ("news 7: autumn", .batch("news 7: autumn")), ("campaign-42", .batch("campaign-42")),
            ("00aa", .batch("00aa")),
            ("00000000-0000-0007-0000-000000000001", .notification(NotificationID(high: 7, low: 1))), ("", nil),
        ] as [(String, InvestigationSubject?)]
    )
    func whatIsOnNoCommandLineIsATokenWhereItMayBe(text: String, expected: InvestigationSubject?) {
        #expect(InvestigationSubject(recognising: text, mayBeShort: true) == expected)
        if text.contains(":") { #expect(InvestigationSubject(recognising: text) == .batch(text)) }
    }

    @Test(arguments: [
        ("<\(token)>", "F0aF"), ("0x\(token.prefix(64))", "0aF0"), (token + "a", "0aFa"),
        ("<\(String(repeating: "0123abcd ", count: 8))>", "abcd"),
        ("campaign-42", nil),
        (String(token.prefix(31)), nil), ("a-" + token.prefix(32), "aF0a"),
        ("00000000-0000-0007-0000-00000000000", nil),
    ])
    func aMistypedTokenIsToldByItsEnd(text: String, tail: String?) {
        #expect(InvestigationSubject.tailOfMistypedToken(text) == tail)
    }

    @Test(arguments: [
        ("00AA", true), ("0", false), ("", false), ("xy", false), (String(repeating: "a", count: 402), false),
    ])
    func aTokenHasDigits(text: String, isToken: Bool) {
        #expect((InvestigationSubject.token(text) != nil) == isToken)
    }
}
