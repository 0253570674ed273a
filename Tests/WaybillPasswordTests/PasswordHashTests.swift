import Testing

@testable import WaybillPassword

@Suite struct PasswordHashTests {
    private static let cheap = PasswordCost(memory: 64, passes: 1, lanes: 1)

    /// A vector of libargon2's own tests, for version 19 of argon2id.
    @Test func agreesWithTheProgram() throws {
        let password = try #require(PlainPassword("password"))
        let hash = try PasswordHash(
            password,
            cost: .init(memory: 256, passes: 2, lanes: 1),
            salt: Array("somesalt".utf8)
        )
        #expect(
            hash.phc == "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4"
        )
        #expect(try hash.matches(password))
    }

    @Test(arguments: ["", "secret", "pässwörd \u{1F511}", String(repeating: "x", count: 1024)])
    func knowsItsPasswordAlone(text: String) throws {
        let password = try #require(PlainPassword(text))
        let hash = try PasswordHash(password, cost: Self.cheap)
        let again = PasswordHash(phc: hash.phc)
        #expect(try again.matches(try #require(PlainPassword(text))))
        #expect(try !again.matches(try #require(PlainPassword(String(text.dropLast()) + "?"))))
        #expect(try PasswordHash(password, cost: Self.cheap).phc != hash.phc)
    }

    @Test func usesWhatOWASPAsksFor() throws {
        let hash = try PasswordHash(try #require(PlainPassword("secret")), cost: PasswordCost())
        #expect(hash.phc.hasPrefix("$argon2id$v=19$m=19456,t=2,p=1$"))
        #expect(hash.isMade(at: PasswordCost()))
        #expect(!hash.isMade(at: PasswordCost(memory: 19_456, passes: 3)))
    }

    @Test func takesNoPasswordThatIsTooLong() {
        #expect(PlainPassword(String(repeating: "x", count: 1025)) == nil)
        // Bytes count, and not characters.
        #expect(PlainPassword(String(repeating: "ü", count: 513)) == nil)
        #expect(PlainPassword(String(repeating: "ü", count: 512))?.characters == 512)
    }

    @Test(
        arguments: [
            "", "secret", "$argon2i$v=19$m=64,t=1,p=1$c29tZXNhbHQ$AAAA", "$argon2id$v=16$m=64,t=1,p=1$c29tZXNhbHQ$AAAA",
            "$argon2id$v=19$m=64,t=1$c29tZXNhbHQ$AAAA", "$argon2id$v=19$m=64,t=1,t=1$c29tZXNhbHQ$AAAA",
            "$argon2id$v=19$m=64,t=1,p=1$c29tZXNhbHQ", "$argon2id$v=19$m=x,t=1,p=1$c29tZXNhbHQ$AAAA",
        ]
    )
    func refusesWhatItDoesNotMake(text: String) throws {
        let password = try #require(PlainPassword("secret"))
        #expect(throws: PasswordHashingError.unreadable) { try PasswordHash(phc: text).matches(password) }
    }

    @Test(arguments: ["m=1048577,t=1,p=1", "m=64,t=65,p=1", "m=64,t=1,p=17", "m=7,t=1,p=1", "m=64,t=0,p=1"])
    func bearsNoCostThatHurts(parameters: String) throws {
        let password = try #require(PlainPassword("secret"))
        let hash = PasswordHash(
            phc: "$argon2id$v=19$\(parameters)$c29tZXNhbHQ$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
        )
        #expect(throws: PasswordHashingError.cost) { try hash.matches(password) }
        #expect(throws: PasswordHashingError.cost) {
            try PasswordHash(password, cost: .init(memory: 1 << 21, passes: 1, lanes: 1))
        }
    }

    @Test func libraryFaultsAreNamed() throws {
        let password = try #require(PlainPassword("secret"))
        // The cost can be read, the salt cannot.
        let hash = PasswordHash(phc: "$argon2id$v=19$m=64,t=1,p=1$***$AAAA")
        let error = #expect(throws: PasswordHashingError.self) { try hash.matches(password) }
        #expect("\(try #require(error))".hasPrefix("libargon2: "))
    }

    @Test func printsNothing() throws {
        let password = try #require(PlainPassword("hunter2hunter2"))
        let hash = try PasswordHash(password, cost: Self.cheap)
        var text = "\(password) \(String(reflecting: password)) \(hash) \(String(reflecting: hash))"
        dump(password, to: &text)
        dump(hash, to: &text)
        #expect(!text.contains("hunter2"))
        #expect(!text.contains("argon2id"))
    }
}
