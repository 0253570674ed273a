import Testing

@testable import WaybillAccounts

@Suite struct CommonPasswordsTests {
    /// What lists of the commonest have in front.
    @Test(
        arguments: [
            "00000000", "0123456789", "1029384756", "11111111", "11223344", "12121212", "12341234", "123123123",
            "12344321", "12345678", "123456789", "1234567890", "123456789a", "123654789", "1234qwer", "147258369",
            "1q2w3e4r", "1q2w3e4r5t", "1qaz2wsx", "1qazxsw2", "22222222", "55555555", "66666666", "741852963",
            "87654321", "88888888", "963852741", "987654321", "99999999", "a1234567", "a12345678", "a123456789",
            "aa123456", "abcd1234", "abcdefgh", "access14", "administrator", "admin123", "asdf1234", "asdfasdf",
            "asdfghjk", "asdfghjkl", "babygirl", "baseball", "basketball", "butterfly", "changeme", "charlie1",
            "chocolate", "computer", "corvette", "danielle", "dragon123", "facebook", "football", "football1",
            "fuckyou1", "iloveyou", "iloveyou1", "internet", "jennifer", "jordan23", "letmein1", "liverpool",
            "mercedes", "michelle", "midnight", "monkey123", "passw0rd", "password", "password1", "password1!",
            "password12", "password123", "p@ssw0rd", "p@ssword", "princess", "princess1", "q1w2e3r4", "q1w2e3r4t5",
            "qazwsxedc", "qwer1234", "qwerty12", "qwerty123", "qwertyui", "qwertyuiop", "samantha", "spiderman",
            "starwars", "sunshine", "sunshine1", "superman", "trustno1", "victoria", "welcome1", "whatever",
            "zaq12wsx", "zxcvbnm1",
        ]
    )
    func isCommon(text: String) {
        #expect(CommonPasswords.contain(text))
        #expect(CommonPasswords.contain(text.uppercased()))
    }

    /// What no list need have: made by the same rules.
    @Test(
        arguments: [
            "Password2024!", "$unshine", "P4ssw0rd19", "Michael1990", "Summer2025", "Qwertz123456", "19900131",
            "31.01.1990", "01-31-1990", "abcabcabc", "asdfghjkl123", "ILoveYou123", "1Password1", "m0nk3y!!",
            "lovelove2", "zyxwvuts", "246802468", "159357159",
        ]
    )
    func isMadeLikeACommonOne(text: String) { #expect(CommonPasswords.contain(text)) }

    @Test(
        arguments: [
            "correct horse", "battery staple", "Tr0ub4dor&3", "x7#kPq2!v", "mein Hund heißt",
            "99 Luftballons fliegen", "91348275", "vlhkost vzduchu", "gamma-quartz-olive", "31990131",
        ]
    )
    func isNotCommon(text: String) { #expect(!CommonPasswords.contain(text)) }

    @Test(arguments: ["ada.l", "ADA.L", "ada@example.com", "Ada@Example.COM", "ada"])
    func isOfItsPerson(text: String) throws {
        let (name, email) = (try #require(AccountName("Ada.L")), try #require(EmailAddress("ada@example.com")))
        #expect(CommonPasswords.areOf(name, email, text))
        #expect(!CommonPasswords.areOf(nil, nil, text))
        #expect(!CommonPasswords.areOf(name, email, "\(text) and more"))
    }
}
