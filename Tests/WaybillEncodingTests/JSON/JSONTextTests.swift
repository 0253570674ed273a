import Foundation
import Testing
import WaybillEncoding

struct JSONTextTests {
    @Test(
        arguments: [
            ("plain", "plain"), ("grün 日本 👍🏽", "grün 日本 👍🏽"),
            // C1 controls, of which one begins what a terminal obeys; and the last of C0's, which JSON lets be.
            ("\u{9B}31mred", #"\u009b31mred"#), ("\u{80}\u{9F}\u{7F}", #"\u0080\u009f\u007f"#),
            ("a\u{202E}b\u{2066}c\u{200F}", #"a\u202eb\u2066c\u200f"#), ("\u{2028}\u{FEFF}", #"\u2028\ufeff"#),
            ("\u{E0041}", #"\udb40\udc41"#),
            // What a picture and a script need.
            ("👩‍💻 می‌خواهم ❤️", "👩‍💻 می‌خواهم ❤️"), ("a\u{200D}b", #"a\u200db"#),
        ]
    )
    func whatATerminalActsOnIsEscaped(text: String, expected: String) throws {
        var object = JSONObject()
        object.add("text", text)
        let shown = JSONText.terminalSafe(object.text)
        #expect(shown == #"{"text":"\#(expected)"}"#)
        #expect(JSONText.terminalSafe(Array(object.text.utf8)) == Array(shown.utf8))
        let read = try #require(try JSONSerialization.jsonObject(with: Data(shown.utf8)) as? [String: String])
        #expect(read["text"] == text)
    }

    @Test(arguments: ["", "dEaD:APA91b-_x", #"a"b\\c"#, "a\u{1}\u{1F}\n", "grün 日本"])
    func whatLiesSideBySideIsEscapedAlike(text: String) {
        var (slice, whole): ([UInt8], [UInt8]) = (Array("<".utf8), Array("<".utf8))
        JSONText.appendEscaped(Array(text.utf8)[...], to: &slice)
        JSONText.appendEscaped(text.utf8, to: &whole)
        #expect(slice == whole)
    }

    /// Of pages that are written over several lines, the lines stay.
    @Test func whatStandsBetweenTheStringsStays() {
        #expect(JSONText.terminalSafe("{\n\t\"a\": \"\u{85}\"\n}") == "{\n\t\"a\": \"\\u0085\"\n}")
    }
}
