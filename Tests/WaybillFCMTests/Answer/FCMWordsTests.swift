import Testing

@testable import WaybillFCM

/// FCM's own words are bounded, on one line, and have neither tokens nor values of a message.
struct FCMWordsTests {
    private static let token = "cXyZ0123456789abcdefgh:APA91bHPRgkF3JUikC4ENAHEeMrd41Zxv3hVZjC9KtT8OvPVGJ-hQMRKRrZuJAEc"

    @Test(arguments: [
        ("Request contains an invalid argument.", "Request contains an invalid argument."),
        ("  Message is too large. \n\n At most 4K (4096 bytes).", "Message is too large."),
        (
            "Invalid JSON payload received. Unexpected token.\n\"title\": \"Hello Anna\", \"n\": 1e400\n  ^",
            "Invalid JSON payload received. Unexpected token."
        ),
        (
            "Invalid value at 'message.data[0].value' (TYPE_STRING), 12",
            "Invalid value at 'message.data[0].value' (TYPE_STRING)"
        ),
        (
            "Invalid value at 'message.android.priority' (type.googleapis.com/google.firebase.fcm.v1.AndroidMessagePriority), "
                + "\"a secret\"",
            "Invalid value at 'message.android.priority' "
                + "(type.googleapis.com/google.firebase.fcm.v1.AndroidMessagePriority)"
        ),
        (
            "Invalid JSON payload received. Unknown name \"tokens\" at 'message': Cannot find field.",
            "Invalid JSON payload received. Unknown name \"tokens\" at 'message': Cannot find field."
        ),
        ("TTL of android.restricted_package_name: no", "TTL of android.restricted_package_name: no"),
        ("the token '\(token)' is bad", "the token '[redacted]' is bad"),
        ("token:\(token)", "[redacted]"), ("\(String(repeating: "00fc13ad", count: 8))!", "[redacted]!"),
        ("the installation dAbCdEfGhIjKlMnOpQrStU", "the installation [redacted]"),
        ("Bearer ya29.a0AfB_byC0123456789-abcdef", "Bearer ya29.[redacted]"), ("a\u{1B}[31mb\u{202E}c", "a [31mb c"),
    ])
    func redacts(text: String, words: String) {
        #expect(FCMWords.text([text]) == words)
    }

    @Test func isBounded() {
        let long = String(repeating: "word ", count: 100)
        #expect(FCMWords.text([long])?.count == 200)
        #expect(FCMWords.text([long, long])?.hasSuffix("…") == true)
        #expect(FCMWords.text([]) == nil && FCMWords.text(["", " \n "]) == nil)
        // A token is redacted before the text is cut.
        let cut = String(repeating: "word ", count: 38) + Self.token
        #expect(FCMWords.text([cut])?.contains("cXyZ") == false)
    }

    @Test func violationsComeBeforeTheMessage() {
        func words(_ status: String, _ details: String) -> String? {
            let text = #"{"error":{"status":"\#(status)","message":"The message","details":[\#(details)]}}"#
            return FCMAnswerBody(Array(text.utf8)).words
        }
        let request = #"{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":"#
        let two = request + #"[{"field":"message.a","description":"One"},{"field":"message.b"},{"description":"Two"}]}"#
        #expect(words("INVALID_ARGUMENT", two) == "message.a: One; message.b; Two")
        #expect(words("INVALID_ARGUMENT", request + "[]}") == "The message")
        #expect(words("INVALID_ARGUMENT", "") == "The message")
        #expect(words("NOT_FOUND", two) == nil)
    }
}
