import Testing
import WaybillEncoding

@Suite("Hidden characters")
struct HiddenCharactersTests {
    @Test("the table is in order, without overlaps")
    func order() {
        for (range, next) in zip(HiddenCharacters.ranges, HiddenCharacters.ranges.dropFirst()) {
            #expect(range.upperBound < next.lowerBound)
        }
    }

    @Test("whatever Unicode lets a program leave out, and all that makes lines or controls a terminal, is in it")
    func unicode() {
        for scalar in (0...0x10FFFF as ClosedRange<UInt32>).lazy.compactMap(Unicode.Scalar.init) {
            let properties = scalar.properties
            let isHidden =
                switch properties.generalCategory {
                case .control, .lineSeparator, .paragraphSeparator: true
                default: properties.isDefaultIgnorableCodePoint
                }
            if isHidden { #expect(HiddenCharacters.contains(scalar), "\(String(scalar.value, radix: 16))") }
        }
    }

    @Test(
        "they are written out",
        arguments: [
            ("a\u{1b}[31mb", "a[U+001B][31mb"), ("\0\t\n\r", #"\0\t\n\r"#), ("a\u{85}b\u{9b}", "a[U+0085]b[U+009B]"),
            ("invoice\u{202e}gnp", "invoice[U+202E]gnp"), ("a\u{200b}b\u{ad}", "a[U+200B]b[U+00AD]"),
            ("a\u{2028}b\u{2029}", "a[U+2028]b[U+2029]"), ("\u{feff}a", "[U+FEFF]a"), ("a\u{e0041}", "a[U+E0041]"),
            ("\u{3164}\u{ffa0}\u{115f}", "[U+3164][U+FFA0][U+115F]"), ("a\u{fff9}b", "a[U+FFF9]b"),
            ("a\u{fe0f}", "a[U+FE0F]"), ("a\u{200d}b", "a[U+200D]b"), ("a\u{200c}b", "a[U+200C]b"),
            ("1\u{fe0f}", "1[U+FE0F]"), ("\u{2764}\u{fe0f}\u{fe0f}", "\u{2764}\u{fe0f}[U+FE0F]"),
            ("\u{200d}", "[U+200D]"), ("", ""), ("plain ü 日本 \u{a0}", "plain ü 日本 \u{a0}"),
        ]
    )
    func shown(text: String, expected: String) {
        #expect(HiddenCharacters.shown(text).unicodeScalars.elementsEqual(expected.unicodeScalars))
        #expect(HiddenCharacters.areIn(text) == !text.unicodeScalars.elementsEqual(expected.unicodeScalars))
    }

    @Test(
        "what emoji and letters beside them need stays",
        arguments: [
            "\u{2764}\u{fe0f}", "\u{1f469}\u{200d}\u{1f469}\u{200d}\u{1f467}", "1\u{fe0f}\u{20e3}",
            "\u{1f3f3}\u{fe0f}\u{200d}\u{1f308}", "\u{0645}\u{06cc}\u{200c}\u{062e}",
            "\u{0915}\u{094d}\u{200d}\u{0937}", "\u{1f44b}\u{1f3fd}",
        ]
    )
    func needed(text: String) {
        #expect(!HiddenCharacters.areIn(text))
        #expect(HiddenCharacters.shown(text) == text)
    }

    @Test("where lines are wanted, line feeds and tabs stay")
    func lines() {
        #expect(HiddenCharacters.shown("a\n\tb\u{1b}", followsLines: true) == "a\n\tb[U+001B]")
    }

    @Test(
        "a text that is too long is cut, and says how long it is",
        arguments: [(9, "123456789"), (8, "12345678… (9 characters)")]
    )
    func length(limit: Int, expected: String) {
        #expect(TextLength.cut("123456789", to: limit) == expected)
    }

    @Test("bytes are no characters")
    func bytes() {
        #expect(TextLength.cut("日本語", to: 3) == "日本語")
        #expect(TextLength.cut("日本語", to: 2) == "日本… (3 characters)")
    }
}

@Suite("Control characters")
struct ControlCharactersTests {
    @Test(
        "those of ASCII and those beyond, at any place",
        arguments: [0x00, 0x1F, 0x7F, 0x80, 0x85, 0x9B, 0x9F] as [UInt32]
    )
    func found(value: UInt32) throws {
        let scalar = String(try #require(Unicode.Scalar(value)))
        for text in [scalar, "a" + scalar, scalar + "ü", "Â" + scalar, "\u{a0}" + scalar] {
            #expect(ControlCharacters.areIn(text))
        }
    }

    @Test(
        "letters whose bytes are alike are none",
        arguments: ["", "\u{a0}", "Â ", "À", "Ā", "\u{1080}", "日本", "😀", "§"]
    )
    func others(text: String) {
        #expect(!ControlCharacters.areIn(text))
    }
}

@Suite("CSV")
struct CSVTextTests {
    @Test(
        "no text is a formula, whatever stands before its sign",
        arguments: [
            "=1+1", "+49", "-1", "@SUM(A1)", "\t=1", "\r=1", " =1", "\u{a0}=1", "\u{3000}=1", "\u{200b}=1",
            "\u{feff}=1",
            "\u{ad}+1", "\u{202e}-1", " \u{200d} @a", "\0=1", "\u{85}=1", "\u{2028}=1", "\u{2800}=1", "\u{3164}=1",
            "\u{ff1d}1", "\u{ff0b}1", "\u{ff0d}1", "\u{ff20}a", " \u{ff1d}1", "\u{2212}1", "\u{fe66}1", "'=1", " '=1",
            "  ' =1",
        ]
    )
    func guarded(text: String) {
        let cell = CSVText.cell(text)
        #expect(cell.hasPrefix("'") || cell.hasPrefix("\"'"))
        #expect(Self.isRead(cell, as: text))
    }

    @Test(
        "what a terminal acts on and what nobody sees is written out",
        arguments: [
            ("\u{9b}31mred", "[U+009B]31mred"), ("a\u{202e}b\u{2066}", "a[U+202E]b[U+2066]"),
            ("\u{1b}[0m\r\0", "[U+001B][0m[U+000D][U+0000]"), ("\u{202e}\u{301}]", "[U+202E]\u{301}]"),
            ("\u{e0041}", "[U+E0041]"), ("[U+202E]", "[U+005B]U+202E]"), ("[U+", "[U+005B]U+"),
            ("[U+\u{200d}202E]", "[U+005B]U+[U+200D]202E]"), ("a\n\tb", "\"a\n\tb\""),
            ("x;=1+2;y", "x[U+003B]=1+2;y"), ("a;\u{200b} \u{ff1d}1", "a[U+003B][U+200B] \u{ff1d}1"),
            ("a\t=1\n- b", "a[U+0009]=1[U+000A]- b"), (";'=1", "[U+003B]'=1"),
            ("[U+003B];@a", "[U+005B]U+003B][U+003B]@a"),
            ("\u{2764}\u{fe0f} [1]", "\u{2764}\u{fe0f} [1]"), ("\u{202e}=1", "'[U+202E]=1"),
        ]
    )
    func written(text: String, expected: String) {
        #expect(CSVText.cell(text).unicodeScalars.elementsEqual(expected.unicodeScalars))
        #expect(Self.isRead(CSVText.cell(text), as: text))
    }

    @Test(
        "names that no cell has stay",
        arguments: ["[U+0041]", "[U+202e]", "[U+202E", "[U+]", "[U+110000]", "[U+0202E]"]
    )
    func unknown(text: String) { #expect(CSVText.text(ofCell: text) == text) }

    /// Of these no cell has a quotation mark of its own.
    private static func isRead(_ cell: String, as text: String) -> Bool {
        CSVText.text(ofCell: cell.filter { $0 != "\"" }).unicodeScalars.elementsEqual(text.unicodeScalars)
    }

    @Test(
        "other texts stay as they are",
        arguments: ["", "a=b", " a", "'a", "e\u{301}=", "1+1", "(=1)", "0.5", "a; b;c", "a;b=1"]
    )
    func others(text: String) {
        #expect(CSVText.cell(text) == text)
        #expect(CSVText.text(ofCell: text) == text)
    }
}
