import Testing

@testable import WaybillAccounts

struct KeySecretTests {
    @Test func theChecksumIsThatOfEverybody() {
        #expect(CRC32.checksum(of: "123456789".utf8) == 0xCBF4_3926)
        #expect(Base62.text(0, count: 6) == "000000")
        #expect(Base62.text(61, count: 2) == "0z")
        #expect(Base62.text(UInt64(UInt32.max), count: 6) == "4gfFC3")
    }

    @Test(arguments: KeySecret.Mode.allCases)
    func aNewKeyHasItsFormAndIsReadAgain(mode: KeySecret.Mode) throws {
        let secret = KeySecret.generate(mode: mode)
        let text = secret.reveal()
        #expect(text.wholeMatch(of: /wbk_(live|test)_[0-9A-Za-z]{36}/)?.1 == mode.rawValue[...])
        let again = try #require(KeySecret(text))
        #expect(again.mode == mode)
        #expect(again.digest == secret.digest)
        #expect(text.hasSuffix(again.lastFour))
        #expect(KeySecret.generate(mode: mode).digest != secret.digest)
    }

    @Test func aSlipOfThePenIsNoKey() {
        let text = KeySecret.generate(mode: .live).reveal()
        for place in text.indices {
            var wrong = text
            wrong.replaceSubrange(place...place, with: text[place] == "x" ? "y" : "x")
            #expect(KeySecret(wrong) == nil)
        }
        for wrong in ["", "wbk_live_", text + "0", String(text.dropLast()), " " + text, "Bearer " + text] {
            #expect(KeySecret(wrong) == nil)
        }
    }

    @Test func noWayOfPrintingShowsIt() {
        let secret = KeySecret.generate(mode: .live)
        var dumped = ""
        dump(secret, to: &dumped)
        let random = secret.reveal().dropFirst(9)
        for shown in ["\(secret)", String(reflecting: secret), dumped, "\([secret])", "\(Optional(secret) as Any)"] {
            #expect(!shown.contains(random))
        }
    }

    @Test func digestsDifferWhereverTheyDiffer() {
        let digest = KeySecret.generate(mode: .live).digest
        let text = digest.hexadecimal
        #expect(text.count == 64)
        #expect(digest.isStored(as: text))
        #expect(!digest.isStored(as: String(text.dropLast())))
        for place in text.indices {
            var other = text
            other.replaceSubrange(place...place, with: text[place] == "0" ? "1" : "0")
            #expect(!digest.isStored(as: other))
        }
    }
}
