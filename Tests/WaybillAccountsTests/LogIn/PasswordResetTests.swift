import Testing
import WaybillMongo
import WaybillMongoTestSupport
import WaybillPassword

@testable import WaybillAccounts

/// Another password by mail, against a real mongod.
@Suite(.enabled(if: TestDatabase.isAvailable))
struct PasswordResetTests {
    private let now = AccountRig.now

    private func reset(_ rig: AccountRig) -> PasswordReset {
        PasswordReset(client: rig.client, database: rig.database, rules: rig.rules)
    }

    @Test func aLinkHoldsOnceAndEndsEverything() throws {
        try AccountRig.run { rig in
            let account = try rig.confirmed()
            let tokens = try rig.logins.begin(account, now: now)
            let (first, second) = (
                try #require(try reset(rig).begin(account, now: now)),
                try #require(try reset(rig).begin(account, now: now))
            )
            let changed = try reset(rig).use(first.reveal(), rig.password("battery staple"), now: now)
            #expect(changed.id == account.id)
            #expect(throws: RenewalProblem.refused) { try rig.logins.renew(tokens.refresh, now: now) }
            // No other link is left.
            for token in [first, second] {
                #expect(throws: PasswordResetProblem.expired) {
                    try reset(rig).use(token.reveal(), rig.password("third password"), now: now)
                }
            }
            let again = try rig.logIn.account(called: "ada.l", rig.password("battery staple"), now: now)
            #expect(again.id == account.id)
        }
    }

    /// Only here it is known whose password it is to be; the link holds still.
    @Test func whatEverybodyGuessesIsRefused() throws {
        try AccountRig.run { rig in
            let account = try rig.confirmed()
            let token = try #require(try reset(rig).begin(account, now: now))
            for text in ["ada.l", "ADA@example.com", "ada", "battery staple"] {
                func use() throws(PasswordResetProblem) {
                    guard let password = PlainPassword(text) else { return }
                    _ = try reset(rig).use(token.reveal(), password, from: AccountRig.home, now: now) {
                        CommonPasswords.areOf($0.name, $0.email, text)
                    }
                }
                if text == "battery staple" {
                    try use()
                } else {
                    #expect(throws: PasswordResetProblem.guessable) { try use() }
                }
            }
            #expect(try rig.logIn.account(called: "ada.l", rig.password("battery staple"), now: now).id == account.id)
        }
    }

    @Test func aLinkHoldsForAnHour() throws {
        try AccountRig.run { rig in
            let token = try #require(try reset(rig).begin(rig.confirmed(), now: now))
            #expect(throws: PasswordResetProblem.expired) {
                try reset(rig).use(token.reveal(), rig.password("battery staple"), now: now + 3_661_000)
            }
            #expect(try rig.logIn.account(called: "ada.l", rig.password(), now: now).tries.failures == 0)
        }
    }

    /// Whoever signs up with an address of somebody else has its owner's account in the end, and not the reverse.
    @Test func aResetConfirmsTheAddress() throws {
        try AccountRig.run { rig in
            let made = try rig.register()
            let token = try #require(try reset(rig).begin(made.account, now: now))
            let changed = try reset(rig).use(token.reveal(), rig.password("battery staple"), now: now)
            #expect(changed.confirmedAt == now)
            #expect(throws: ConfirmationProblem.alreadyConfirmed) {
                try rig.confirmation.confirm(made.token.reveal(), now: now)
            }
            #expect(throws: LogInProblem.wrongPassword) {
                try rig.logIn.account(called: "ada.l", rig.password(), now: now)
            }
            let stored = try #require(
                try rig.client.collection(database: rig.database, name: "accounts").findOne(.empty)
            )
            #expect(stored["expires_at"] == nil)
        }
    }

    @Test func noOtherTokenResets() throws {
        try AccountRig.run { rig in
            let made = try rig.register()
            let account = try rig.confirmed("eve.e", "eve@example.com")
            let tokens = try rig.logins.begin(account, now: now)
            for text in ["", "x", made.token.reveal(), tokens.access, tokens.refresh] {
                #expect(throws: PasswordResetProblem.unreadable) {
                    try reset(rig).use(text, rig.password("battery staple"), now: now)
                }
            }
            // Well signed, but no mail had it.
            let forged = ConfirmationToken(.reset, for: account, rig.rules, now: now).reveal()
            #expect(throws: PasswordResetProblem.expired) {
                try reset(rig).use(forged, rig.password("battery staple"), now: now)
            }
            let token = try #require(try reset(rig).begin(account, now: now)).reveal()
            #expect(throws: ConfirmationProblem.unreadable) { try rig.confirmation.confirm(token, now: now) }
        }
    }

    @Test func threeMailsAnHour() throws {
        try AccountRig.run { rig in
            let account = try rig.confirmed()
            for number in 0..<3 { #expect(try reset(rig).begin(account, now: now + Int64(number)) != nil) }
            #expect(try reset(rig).begin(account, now: now + 3) == nil)
            #expect(try reset(rig).begin(account, now: now + 3_600_000) != nil)
        }
    }

    /// The wait after wrong passwords goes: a reset by mail always works.
    @Test func aResetEndsTheWait() throws {
        try AccountRig.run { rig in
            let account = try rig.confirmed()
            for _ in 1...5 { _ = try? rig.logIn.account(called: "ada.l", rig.password("wrong"), now: now) }
            #expect(throws: LogInProblem.delayed(1000)) {
                try rig.logIn.account(called: "ada.l", rig.password(), now: now)
            }
            let token = try #require(try reset(rig).begin(account, now: now))
            _ = try reset(rig).use(token.reveal(), rig.password("battery staple"), now: now)
            #expect(
                try rig.logIn.account(called: "ada.l", rig.password("battery staple"), now: now).tries.failures == 0
            )
        }
    }
}
