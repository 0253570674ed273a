import Testing
import WaybillMongo
import WaybillMongoTestSupport
import WaybillPassword

@testable import WaybillAccounts

/// Refresh tokens that hold once (RFC 9700, 4.14.2), against a real mongod.
@Suite(.enabled(if: TestDatabase.isAvailable))
struct RefreshFamilyTests {
    private let now = AccountRig.now

    private func families(_ rig: AccountRig) -> RefreshFamilies {
        RefreshFamilies(client: rig.client, database: rig.database, rules: rig.rules)
    }

    private func isReplay(_ text: String, _ rig: AccountRig, at time: Int64) throws -> Bool {
        do throws(FamilyProblem) {
            _ = try families(rig).renew(text, now: time)
        } catch {
            if case .replayed = error { return true }
        }
        return false
    }

    @Test func eachTokenHoldsOnce() throws {
        try AccountRig.run { rig in
            let account = try rig.confirmed()
            let first = try families(rig).begin(account, name: "phone", now: now)
            let second = try families(rig).renew(first.refresh, now: now + 1000)
            let third = try families(rig).renew(second.refresh, now: now + 2000)
            #expect(Set([first.refresh, second.refresh, third.refresh]).count == 3)
            #expect(Set([first.login.id, second.login.id, third.login.id]).count == 1)
            for tokens in [first, second, third] {
                #expect(try rig.tokens.account(tokens.access, now: now + 2000) == account)
            }
            // Its time is ten minutes, with what clocks may differ.
            #expect(throws: AccessProblem.refused) { try rig.tokens.account(first.access, now: now + 660_000) }
        }
    }

    /// An answer may be lost on its way: the token before the current one gets the same again, for a moment.
    @Test func aLostAnswerIsToldAgain() throws {
        try AccountRig.run { rig in
            let first = try families(rig).begin(rig.confirmed(), name: nil, now: now)
            let second = try families(rig).renew(first.refresh, now: now)
            #expect(try families(rig).renew(first.refresh, now: now + RefreshFamilies.grace).refresh == second.refresh)
            let third = try families(rig).renew(second.refresh, now: now + 1000)
            #expect(try families(rig).renew(second.refresh, now: now + 2000).refresh == third.refresh)
        }
    }

    @Test(arguments: [false, true])
    func aReplayEndsTheSession(isOlder: Bool) throws {
        try AccountRig.run { rig in
            let account = try rig.confirmed()
            let other = try families(rig).begin(account, name: nil, now: now)
            let first = try families(rig).begin(account, name: nil, now: now)
            let second = try families(rig).renew(first.refresh, now: now)
            let last = isOlder ? try families(rig).renew(second.refresh, now: now + 1) : second
            // Within the moment where it is older, after it where it is the one before.
            let time = isOlder ? now + 2 : now + RefreshFamilies.grace + 1
            #expect(try isReplay(first.refresh, rig, at: time))
            #expect(throws: FamilyProblem.refused) { try families(rig).renew(last.refresh, now: time) }
            #expect(throws: AccessProblem.refused) { try rig.tokens.account(last.access, now: time) }
            // Once: there is nothing left to end.
            #expect(try !isReplay(first.refresh, rig, at: time))
            #expect(try families(rig).renew(other.refresh, now: time).account == account)
        }
    }

    /// What nobody has signed ends nothing, whatever log-in it names.
    @Test func whatIsForgedEndsNothing() throws {
        try AccountRig.run { rig in
            let first = try families(rig).begin(rig.confirmed(), name: nil, now: now)
            let second = try families(rig).renew(first.refresh, now: now)
            let end = first.refresh.last == "0" ? "1" : "0"
            let other = try AccountRig.rules(9)
            let forged = [
                "", "wbr_", String(first.refresh.dropLast()) + end, first.refresh + "0",
                "x" + first.refresh.dropFirst(),
                RefreshToken(login: first.login.id, number: 0, key: other.keys.families[0]).reveal(),
                RefreshToken(login: first.login.id, number: 2, key: rig.rules.keys.families[0]).reveal(),
                RefreshToken(login: Login.newID(), number: 0, key: rig.rules.keys.families[0]).reveal(),
                first.access,
            ]
            for text in forged {
                #expect(throws: FamilyProblem.refused) { try families(rig).renew(text, now: now + 60_000) }
            }
            #expect(try families(rig).renew(second.refresh, now: now + 60_000).login.id == first.login.id)
        }
    }

    /// Each API has tokens of its own.
    @Test func theThesisTokensAreNotTaken() throws {
        try AccountRig.run { rig in
            let account = try rig.confirmed()
            let (old, new) = (
                try rig.logins.begin(account, now: now), try families(rig).begin(account, name: nil, now: now)
            )
            #expect(throws: FamilyProblem.refused) { try families(rig).renew(old.refresh, now: now) }
            #expect(throws: RenewalProblem.refused) { try rig.logins.renew(new.refresh, now: now) }
        }
    }

    @Test func whatNobodyRenewsEnds() throws {
        try AccountRig.run { rig in
            let first = try families(rig).begin(rig.confirmed(), name: nil, now: now)
            let later = now + RefreshFamilies.idleTime - 1
            let second = try families(rig).renew(first.refresh, now: later)
            #expect(throws: FamilyProblem.refused) {
                try families(rig).renew(second.refresh, now: later + RefreshFamilies.idleTime)
            }
        }
    }

    @Test func sessionsAreListedAndEnded() throws {
        try AccountRig.run { rig in
            let (ada, eve) = (try rig.confirmed(), try rig.confirmed("eve.e", "eve@example.com"))
            let phone = try families(rig).begin(ada, name: "phone", now: now)
            let old = try rig.logins.begin(ada, now: now + 1)
            let foreign = try families(rig).begin(eve, name: nil, now: now)
            let found = try rig.logins.holding(of: ada, now: now)
            #expect(found.map(\.id) == [old.login.id, phone.login.id])
            #expect(found.map(\.name) == [nil, "phone"])
            #expect(try !rig.logins.end(foreign.login.id, of: ada.id, now: now))
            #expect(try rig.logins.end(old.login.id, of: ada.id, now: now))
            #expect(try !rig.logins.end(old.login.id, of: ada.id, now: now))
            #expect(throws: RenewalProblem.refused) { try rig.logins.renew(old.refresh, now: now) }
            #expect(throws: AccessProblem.refused) { try rig.tokens.account(old.access, now: now) }
            #expect(try rig.logins.holding(of: ada, now: now).map(\.id) == [phone.login.id])
            #expect(try rig.logins.holding(of: ada, now: now + RefreshFamilies.idleTime).isEmpty)
        }
    }

    /// Whoever changes their own password stays where they are, and nowhere else.
    @Test func oneGoesOnAfterANewPassword() throws {
        try AccountRig.run { rig in
            let account = try rig.confirmed()
            let own = try families(rig).begin(account, name: nil, now: now)
            let other = try families(rig).begin(account, name: nil, now: now)
            let change = PasswordChange(client: rig.client, database: rig.database, cost: rig.rules.cost)
            let changed = try #require(try change.change(account, to: rig.password("battery staple"), now: now + 5))
            let carried = try #require(try families(rig).carryOn(own.login, changed, now: now + 5))
            #expect(try rig.tokens.account(carried.access, now: now + 5) == changed)
            #expect(throws: AccessProblem.refused) { try rig.tokens.account(own.access, now: now + 5) }
            #expect(throws: FamilyProblem.refused) { try families(rig).renew(other.refresh, now: now + 6) }
            #expect(try rig.logins.holding(of: changed, now: now + 6).map(\.id) == [own.login.id])
            #expect(try families(rig).renew(carried.refresh, now: now + 6).login.id == own.login.id)
        }
    }

    /// Whoever has a copy of the token from before it may be why there is another password.
    @Test func aCopyFromBeforeANewPasswordIsNoOther() throws {
        try AccountRig.run { rig in
            let account = try rig.confirmed()
            let first = try families(rig).begin(account, name: nil, now: now)
            let own = try families(rig).renew(first.refresh, now: now)
            let change = PasswordChange(client: rig.client, database: rig.database, cost: rig.rules.cost)
            let changed = try #require(try change.change(account, to: rig.password("battery staple"), now: now + 5))
            let carried = try #require(try families(rig).carryOn(own.login, changed, now: now + 5))
            #expect(try isReplay(own.refresh, rig, at: now + 6))
            #expect(throws: FamilyProblem.refused) { try families(rig).renew(carried.refresh, now: now + 6) }
        }
    }

    /// An app may renew its session while the password is changed in it: it is the same session still.
    @Test(arguments: 0...3) func oneGoesOnThatIsRenewedMeanwhile(renewals: Int) throws {
        try AccountRig.run { rig in
            let account = try rig.confirmed()
            let own = try families(rig).begin(account, name: nil, now: now)
            var refresh = [own.refresh]
            for number in 0..<renewals {
                refresh.append(try families(rig).renew(refresh[number], now: now + Int64(number)).refresh)
            }
            let change = PasswordChange(client: rig.client, database: rig.database, cost: rig.rules.cost)
            let changed = try #require(try change.change(account, to: rig.password("battery staple"), now: now + 5))
            // As it was when the request came.
            let carried = try #require(try families(rig).carryOn(own.login, changed, now: now + 5))
            #expect(carried.login.id == own.login.id)
            #expect(try rig.tokens.account(carried.access, now: now + 5) == changed)
            let next = try families(rig).renew(carried.refresh, now: now + 6)
            // A copy of any of those before it ends the session.
            #expect(try isReplay(try #require(refresh.last), rig, at: now + 7))
            #expect(throws: FamilyProblem.refused) { try families(rig).renew(next.refresh, now: now + 7) }
        }
    }

    /// What is ended while the password is changed does not go on.
    @Test func whatHasEndedMeanwhileDoesNotGoOn() throws {
        try AccountRig.run { rig in
            let account = try rig.confirmed()
            let own = try families(rig).begin(account, name: nil, now: now)
            let change = PasswordChange(client: rig.client, database: rig.database, cost: rig.rules.cost)
            let changed = try #require(try change.change(account, to: rig.password("battery staple"), now: now + 5))
            #expect(try rig.logins.end(own.login.id, of: account.id, now: now + 5))
            #expect(try families(rig).carryOn(own.login, changed, now: now + 5) == nil)
        }
    }

    /// Whose renewal comes second to the change has shown a token that was good: it gets nothing, and ends nothing.
    @Test func aRenewalBesideANewPasswordEndsNothing() throws {
        try AccountRig.run { rig in
            let account = try rig.confirmed()
            let own = try families(rig).begin(account, name: nil, now: now)
            let shown = try #require(RefreshToken(shown: own.refresh))
            let change = PasswordChange(client: rig.client, database: rig.database, cost: rig.rules.cost)
            let changed = try #require(try change.change(account, to: rig.password("battery staple"), now: now + 5))
            let carried = try #require(try families(rig).carryOn(own.login, changed, now: now + 5))
            // The second look of a renewal that has found it current.
            #expect(throws: FamilyProblem.refused) {
                _ = try families(rig).renew(shown, wasCurrent: true, now: now + 5)
            }
            #expect(try families(rig).renew(carried.refresh, now: now + 6).login.id == own.login.id)
        }
    }

    /// With the secret that it was derived from, a token goes, too.
    @Test func anotherSecret() throws {
        try AccountRig.run { rig in
            let first = try families(rig).begin(rig.confirmed(), name: nil, now: now)
            var (both, other) = (rig, rig)
            both.rules = try AccountRig.rules(2, former: 1)
            other.rules = try AccountRig.rules(2)
            #expect(throws: FamilyProblem.refused) { try families(other).renew(first.refresh, now: now) }
            let second = try families(both).renew(first.refresh, now: now)
            #expect(try families(both).renew(first.refresh, now: now).refresh == second.refresh)
            #expect(try families(other).renew(second.refresh, now: now).login.id == first.login.id)
        }
    }
}
