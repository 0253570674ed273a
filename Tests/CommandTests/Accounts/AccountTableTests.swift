import Testing
import WaybillEncoding
import WaybillPassword

@testable import WaybillAccounts
@testable import waybill

@Suite("Accounts as text")
struct AccountTableTests {
    private func account(suspendedAt: Int64? = nil) throws -> Account {
        // Nobody guesses from elsewhere: the owner's own place is locked.
        var tries = PasswordTries()
        tries.settle("home", now: 1_700_000_000_000)
        for _ in 0..<12 { tries.count("home", now: 1_700_000_100_000) }
        return Account(
            id: "acc_4fK9qTz0LmQ2xW7b",
            name: try #require(AccountName("Ada.L")),
            email: try #require(EmailAddress("ada@example.com")),
            password: PasswordHash(phc: "$argon2id$secret"),
            passwordChangedAt: 1_700_000_000_000,
            createdAt: 1_700_000_000_000,
            confirmedAt: 1_700_000_060_000,
            suspendedAt: suspendedAt,
            tries: tries
        )
    }

    @Test("a line has neither the address nor the password")
    func table() throws {
        let lines = AccountTable.lines([try account(), try account(suspendedAt: 1)], width: nil)
        #expect(lines.count == 3)
        #expect(lines[1].split(separator: " ") == ["acc_4fK9qTz0LmQ2xW7b", "active", "2023-11-14", "22:13", "Ada.L"])
        #expect(lines[2].contains("suspended"))
    }

    @Test("for programs: the address where it is asked for, the hash never")
    func json() throws {
        let account = try account()
        #expect(
            AccountJSON.object(account, isWhole: true, now: 1_700_000_100_000).text == """
                {"id":"acc_4fK9qTz0LmQ2xW7b","name":"Ada.L","email":"ada@example.com","state":"active",\
                "created_at":"2023-11-14T22:13:20.000Z","confirmed_at":"2023-11-14T22:14:20.000Z",\
                "password_changed_at":"2023-11-14T22:13:20.000Z","wrong_passwords":12,\
                "wrong_from":[{"place":"known","wrong_passwords":12,"tried_at":"2023-11-14T22:15:00.000Z",\
                "next_try_at":"2023-11-14T22:17:08.000Z"}]}
                """
        )
        #expect(!AccountJSON.object(account, isWhole: false, now: 1_700_000_100_000).text.contains("example.com"))
        #expect(
            AccountJSON.object(account, isWhole: false, now: 1_700_000_100_000).text.hasSuffix(
                #""wrong_passwords":12}"#
            )
        )
    }
}
