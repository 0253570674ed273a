/// Passwords of eight characters and more that very many people have: whoever guesses tries them first.
package enum CommonPasswords {
    /// Whether it is one of them, however it is capitalized, or one character again and again.
    package static func contain(_ text: String) -> Bool {
        let text = text.lowercased()
        return all.contains(text) || Set(text).count <= 1
    }

    private static let all: Set<String> = [
        "00000000", "0123456789", "1029384756", "11111111", "11223344", "12121212", "12341234", "123123123", "12344321",
        "12345678", "123456789", "1234567890", "123456789a", "123654789", "1234qwer", "147258369", "1q2w3e4r",
        "1q2w3e4r5t", "1qaz2wsx", "1qazxsw2", "22222222", "55555555", "66666666", "741852963", "87654321", "88888888",
        "963852741", "987654321", "99999999", "a1234567", "a12345678", "a123456789", "aa123456", "abcd1234", "abcdefgh",
        "access14", "administrator", "admin123", "asdf1234", "asdfasdf", "asdfghjk", "asdfghjkl", "babygirl",
        "baseball",
        "basketball", "butterfly", "changeme", "charlie1", "chocolate", "computer", "corvette", "danielle", "dragon123",
        "facebook", "football", "football1", "fuckyou1", "iloveyou", "iloveyou1", "internet", "jennifer", "jordan23",
        "letmein1", "liverpool", "mercedes", "michelle", "midnight", "monkey123", "passw0rd", "password", "password1",
        "password1!", "password12", "password123", "p@ssw0rd", "p@ssword", "princess", "princess1", "q1w2e3r4",
        "q1w2e3r4t5", "qazwsxedc", "qwer1234", "qwerty12", "qwerty123", "qwertyui", "qwertyuiop", "samantha",
        "spiderman",
        "starwars", "sunshine", "sunshine1", "superman", "trustno1", "victoria", "welcome1", "whatever", "zaq12wsx",
        "zxcvbnm1",
    ]
}
