import Testing
import WaybillAccounts
import WaybillMongo
import WaybillMongoTestSupport
import WaybillPassword
import WaybillSettings
import WaybillTestSupport
import WaybillThreads

@testable import WaybillHTTPAPI

/// Mails count, requests do not, and no answer shows that a mailbox is full.
@Suite(.timeLimit(.minutes(2)))
struct MailboxAllowancesTests {
    private static let now = MonotonicTime(nanoseconds: 1_000_000_000_000)

    @Test func limitsEachMailboxAndEachKind() throws {
        let mailboxes = MailboxAllowances(.init(signUpsPerHour: 5))
        for number in 0..<5 {
            let email = try #require(EmailAddress("Ada+\(number)@Example.com"))
            #expect(email.mailbox == "ada@example.com")
            #expect(mailboxes.hasRoom(.signUp, for: email, now: Self.now))
            mailboxes.note(.signUp, to: email, now: Self.now)
        }
        let email = try #require(EmailAddress("ada@example.com"))
        #expect(!mailboxes.hasRoom(.signUp, for: email, now: Self.now))
        #expect(mailboxes.hasRoom(.reset, for: email, now: Self.now))
        #expect(mailboxes.hasRoom(.account, for: email, now: Self.now))
        #expect(mailboxes.hasRoom(.signUp, for: email, now: Self.now.advanced(by: .seconds(721))))
    }

    /// 1,000 mails to one domain leave each other mailbox of the domain open.
    @Test func limitsNoDomain() throws {
        let mailboxes = MailboxAllowances(.init(signUpsPerHour: 5))
        for number in 0..<1000 {
            let email = try #require(EmailAddress("a\(number)@example.com"))
            mailboxes.note(.signUp, to: email, now: Self.now)
        }
        let email = try #require(EmailAddress("ada@example.com"))
        #expect(mailboxes.hasRoom(.signUp, for: email, now: Self.now))
    }

    private func makeDoor(_ rig: PeopleRig) throws -> FrontDoor {
        let folder = try TemporaryFolder()
        let settings = AccountSettings(
            baseURL: "https://push.example.com",
            roots: .init(file: try folder.write("root", String(repeating: "root secret ", count: 4))),
            hashing: .init(memory: 64, passes: 1),
            limits: .init(signUpsPerHour: 2)
        )
        return try FrontDoor(settings: settings, database: rig.server.database, pool: rig.server.pool) { _ in }
    }

    @Test(.enabled(if: TestDatabase.isAvailable)) func countsNoRequestWithoutAMail() async throws {
        try await PeopleRig.run { rig in
            try await rig.person()
            let door = try makeDoor(rig)
            defer { door.stop() }
            let client = try rig.server.pool.pop()
            defer { rig.server.pool.push(client) }
            let signingUp = SigningUp(door: door, client: client, now: WallClock.milliseconds())
            let name = try #require(AccountName("Ada.L"))
            let eve = try #require(EmailAddress("eve@example.com"))
            let password = try #require(PlainPassword("correct horse"))
            // The mail about a taken name goes once an hour.
            for _ in 0..<6 { try signingUp.registerQuietly(name, eve, password) }
            for _ in 0..<6 { try signingUp.resend(to: "eve@example.com") }
            #expect(try rig.mails().count { $0.recipient == "eve@example.com" } == 1)
            #expect(door.mailboxes.hasRoom(.signUp, for: eve))
        }
    }

    @Test(.enabled(if: TestDatabase.isAvailable)) func answersAFullMailboxAlike() async throws {
        let limits = AccountSettings.Limits(signUpsPerHour: 10, logInsPerMinute: 1000, checksPerMinute: 1000)
        try await PeopleRig.run(limits) { rig in
            try await rig.person()
            let door = try #require(rig.server.server.door)
            let ada = try #require(EmailAddress("ada@example.com"))
            for _ in 0..<10 { door.mailboxes.note(.signUp, to: ada) }
            let free = try await rig.signUp("grace.h", "grace@example.com")
            let full = try await rig.signUp("other.name", "ada+1@example.com")
            #expect(full.status == 202 && full.text == free.text)
            #expect(try rig.mails().allSatisfy { $0.recipient != "ada+1@example.com" })
            #expect(try rig.server.documents("accounts").count == 2)
            // A reset of an existing account has a bucket of its own.
            let reset = try await rig.ask("POST", "/v1/account/password-reset", ["email": "ada@example.com"])
            #expect(reset.status == 202)
            let mails = try rig.mails().filter { $0.recipient == "ada@example.com" }
            #expect(mails.last?.subject == "Choose a new password")
        }
    }
}
