import Testing
import WaybillMongo
import WaybillMongoTestSupport
import WaybillPassword

@testable import WaybillAccounts

/// Another address, and the way back, against a real mongod.
@Suite(.enabled(if: TestDatabase.isAvailable))
struct AddressChangeTests {
    private let now = AccountRig.now
    private let minute: Int64 = 60_000
    private let week: Int64 = 7 * 86_400_000

    private func change(_ rig: AccountRig) -> AddressChange {
        AddressChange(client: rig.client, database: rig.database, rules: rig.rules)
    }

    private func email(_ text: String) throws -> EmailAddress { try #require(EmailAddress(text)) }

    @Test func anAddressCountsWhenItIsConfirmed() throws {
        try AccountRig.run { rig in
            let account = try rig.confirmed()
            let token = try #require(try change(rig).begin(account, email("new@example.com"), now: now))
            #expect(try rig.reader.account(id: account.id)?.email == account.email)
            let (changed, former, _) = try change(rig).confirm(token.reveal(), now: now)
            #expect(changed.email.text == "new@example.com")
            #expect(former == account.email)
            #expect(throws: AddressChangeProblem.expired) { try change(rig).confirm(token.reveal(), now: now) }
            #expect(try rig.logIn.account(called: "new@example.com", rig.password(), now: now).id == account.id)
            // The one before it is free.
            #expect(try rig.register("eve.e", "ada@example.com").account.id != account.id)
        }
    }

    @Test func aLaterMailTakesThePlaceOfTheOneBefore() throws {
        try AccountRig.run { rig in
            let account = try rig.confirmed()
            let first = try #require(try change(rig).begin(account, email("one@example.com"), now: now))
            #expect(try change(rig).begin(account, email("two@example.com"), now: now + 20 * minute - 1) == nil)
            let second = try #require(
                try change(rig).begin(account, email("two@example.com"), now: now + 20 * minute)
            )
            #expect(throws: AddressChangeProblem.expired) {
                try change(rig).confirm(first.reveal(), now: now + 20 * minute)
            }
            let changed = try change(rig).confirm(second.reveal(), now: now + 20 * minute).account
            #expect(changed.email.text == "two@example.com")
        }
    }

    @Test func whatIsPreparedHasNotHappened() throws {
        try AccountRig.run { rig in
            let account = try rig.confirmed()
            let token = try #require(try change(rig).begin(account, email("new@example.com"), now: now))
            let (first, second) = (
                try change(rig).prepare(token.reveal(), now: now), try change(rig).prepare(token.reveal(), now: now)
            )
            #expect(try rig.reader.account(id: account.id)?.email == account.email)
            #expect(throws: AddressChangeProblem.expired) {
                try change(rig).goBack(first.wayBack.reveal(), now: now)
            }
            _ = try change(rig).confirm(first)
            #expect(throws: AddressChangeProblem.expired) { try change(rig).confirm(second) }
            _ = try change(rig).goBack(first.wayBack.reveal(), now: now)
        }
    }

    @Test func whatSomebodyHasIsTaken() throws {
        try AccountRig.run { rig in
            let (ada, eve) = (try rig.confirmed(), try rig.confirmed("eve.e", "eve@example.com"))
            let token = try #require(try change(rig).begin(ada, email("EVE@example.com"), now: now))
            #expect(throws: AddressChangeProblem.taken) { try change(rig).confirm(token.reveal(), now: now) }
            #expect(try rig.reader.account(id: ada.id)?.email == ada.email)
            #expect(try rig.reader.account(id: eve.id)?.email == eve.email)
        }
    }

    /// Whoever took an account over, and knows its password, has neither in the end.
    @Test func theWayBackEndsEverything() throws {
        try AccountRig.run { rig in
            let account = try rig.confirmed()
            let first = try #require(try change(rig).begin(account, email("thief@example.com"), now: now))
            let (stolen, _, wayBack) = try change(rig).confirm(first.reveal(), now: now)
            // A second change does not take the way back to the first address away.
            let later = now + 20 * minute
            let second = try #require(try change(rig).begin(stolen, email("other@example.com"), now: later))
            let again = try change(rig).confirm(second.reveal(), now: later).account
            let tokens = try rig.logins.begin(again, now: later)
            let back = try change(rig).goBack(wayBack.reveal(), now: later)
            #expect(back.id == account.id)
            #expect(back.email == account.email)
            #expect(throws: RenewalProblem.refused) { try rig.logins.renew(tokens.refresh, now: later) }
            #expect(throws: LogInProblem.wrongPassword) {
                try rig.logIn.account(called: "ada.l", rig.password(), now: later)
            }
            #expect(throws: AddressChangeProblem.expired) { try change(rig).goBack(wayBack.reveal(), now: later) }
            let reset = PasswordReset(client: rig.client, database: rig.database, rules: rig.rules)
            let link = try #require(try reset.begin(back, now: later))
            _ = try reset.use(link.reveal(), rig.password("battery staple"), now: later)
            #expect(try rig.logIn.account(called: "ada.l", rig.password("battery staple"), now: later).id == account.id)
        }
    }

    /// The thief's first address has a way back, too, by which they do not get rid of the owner's.
    @Test func aWayBackLeavesThoseBeforeIt() throws {
        try AccountRig.run { rig in
            let account = try rig.confirmed()
            let first = try #require(try change(rig).begin(account, email("one@example.com"), now: now))
            let (stolen, _, owners) = try change(rig).confirm(first.reveal(), now: now)
            let later = now + 20 * minute
            let second = try #require(try change(rig).begin(stolen, email("two@example.com"), now: later))
            let (_, former, thiefs) = try change(rig).confirm(second.reveal(), now: later)
            #expect(former.text == "one@example.com")
            #expect(try change(rig).goBack(thiefs.reveal(), now: later).email.text == "one@example.com")
            #expect(throws: AddressChangeProblem.expired) { try change(rig).goBack(thiefs.reveal(), now: later) }
            #expect(try change(rig).goBack(owners.reveal(), now: later).email == account.email)
        }
    }

    /// Those to later addresses end: they are a thief's.
    @Test func aWayBackEndsThoseBehindIt() throws {
        try AccountRig.run { rig in
            let account = try rig.confirmed()
            let first = try #require(try change(rig).begin(account, email("one@example.com"), now: now))
            let (stolen, _, owners) = try change(rig).confirm(first.reveal(), now: now)
            let later = now + 20 * minute
            let second = try #require(try change(rig).begin(stolen, email("two@example.com"), now: later))
            let thiefs = try change(rig).confirm(second.reveal(), now: later).wayBack
            _ = try change(rig).goBack(owners.reveal(), now: later)
            #expect(throws: AddressChangeProblem.expired) { try change(rig).goBack(thiefs.reveal(), now: later) }
            #expect(try rig.reader.account(id: account.id)?.email == account.email)
        }
    }

    /// Whoever signs up with an address and does not read there keeps nobody from it who does.
    @Test(arguments: [false, true])
    func whatNobodyHasConfirmedIsFree(isWayBack: Bool) throws {
        try AccountRig.run { rig in
            let account = try rig.confirmed()
            let token = try #require(try change(rig).begin(account, email("new@example.com"), now: now))
            let squatter: Account
            if isWayBack {
                let wayBack = try change(rig).confirm(token.reveal(), now: now).wayBack
                squatter = try rig.register("eve.e", "ada@example.com").account
                #expect(try change(rig).goBack(wayBack.reveal(), now: now).email == account.email)
            } else {
                squatter = try rig.register("eve.e", "new@example.com").account
                let changed = try change(rig).confirm(token.reveal(), now: now).account
                #expect(changed.email.text == "new@example.com")
            }
            #expect(try rig.reader.account(id: squatter.id) == nil)
            // Their name is free with it.
            #expect(try rig.register("eve.e", "eve@example.com").account.id != squatter.id)
        }
    }

    /// Whoever asked before the owner had a new password writes nothing after it.
    @Test func whoAskedBeforeANewPasswordBeginsNothing() throws {
        try AccountRig.run { rig in
            let account = try rig.confirmed()
            let other = PasswordChange(client: rig.client, database: rig.database, cost: rig.rules.cost)
            let changed = try #require(try other.change(account, to: rig.password("battery staple"), now: now + 1))
            #expect(try change(rig).begin(account, email("thief@example.com"), now: now + 2) == nil)
            #expect(try change(rig).begin(changed, email("new@example.com"), now: now + 2) != nil)
        }
    }

    /// Whoever has lost the account gets it back by a new password, whatever was begun before.
    @Test func aNewPasswordEndsAChangeThatWaits() throws {
        try AccountRig.run { rig in
            let account = try rig.confirmed()
            let token = try #require(try change(rig).begin(account, email("thief@example.com"), now: now))
            let other = PasswordChange(client: rig.client, database: rig.database, cost: rig.rules.cost)
            _ = try other.change(account, to: rig.password("battery staple"), now: now)
            #expect(throws: AddressChangeProblem.expired) { try change(rig).confirm(token.reveal(), now: now) }
            #expect(try rig.reader.account(id: account.id)?.email == account.email)
        }
    }

    @Test func theWayBackHoldsForAWeek() throws {
        try AccountRig.run { rig in
            let account = try rig.confirmed()
            let token = try #require(try change(rig).begin(account, email("new@example.com"), now: now))
            let wayBack = try change(rig).confirm(token.reveal(), now: now).wayBack
            #expect(throws: AddressChangeProblem.expired) {
                try change(rig).goBack(wayBack.reveal(), now: now + week + 2 * minute)
            }
        }
    }

    @Test func noOtherTokenChanges() throws {
        try AccountRig.run { rig in
            let account = try rig.confirmed()
            let token = try #require(try change(rig).begin(account, email("new@example.com"), now: now))
            let tokens = try rig.logins.begin(account, now: now)
            for text in ["", "x", tokens.access, tokens.refresh] {
                #expect(throws: AddressChangeProblem.unreadable) { try change(rig).confirm(text, now: now) }
            }
            #expect(throws: AddressChangeProblem.unreadable) { try change(rig).goBack(token.reveal(), now: now) }
            let forged = ConfirmationToken(.newAddress, for: account, rig.rules, now: now).reveal()
            #expect(throws: AddressChangeProblem.expired) { try change(rig).confirm(forged, now: now) }
            let back = ConfirmationToken(.formerAddress, for: account, rig.rules, now: now).reveal()
            #expect(throws: AddressChangeProblem.expired) { try change(rig).goBack(back, now: now) }
        }
    }
}

extension AddressChange {
    /// Both steps, one after the other.
    fileprivate func confirm(
        _ text: String,
        now: Int64
    ) throws(AddressChangeProblem) -> (account: Account, former: EmailAddress, wayBack: ConfirmationToken) {
        let prepared = try prepare(text, now: now)
        return (try confirm(prepared), prepared.former, prepared.wayBack)
    }
}
