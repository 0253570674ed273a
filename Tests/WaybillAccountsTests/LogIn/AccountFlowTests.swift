import Testing
import WaybillMongo
import WaybillMongoTestSupport
import WaybillPassword

@testable import WaybillAccounts

/// From signing up to the last token, against a real mongod.
@Suite(.enabled(if: TestDatabase.isAvailable))
struct AccountFlowTests {
    private let now = AccountRig.now

    @Test func anAccountIsFoundByNameAndAddress() throws {
        try AccountRig.run { rig in
            let account = try rig.register().account
            for text in ["Ada.L", "ada.l", "ADA@example.COM", "Ada@Example.com"] {
                #expect(try rig.reader.account(called: text) == account)
            }
            for text in ["ada", "ada.l2", "eve@example.com", "no name", ""] {
                #expect(try rig.reader.account(called: text) == nil)
            }
            #expect(account.email.text == "Ada@example.com")
            #expect(account.confirmedAt == nil)
        }
    }

    @Test(arguments: [
        ("ADA.L", "other@example.com", SignUpProblem.nameTaken), ("other", "ada@EXAMPLE.com", .emailTaken),
        ("ada.l", "ada@example.com", .nameTaken),
    ])
    func whatSomebodyHasIsTaken(name: String, email: String, problem: SignUpProblem) throws {
        try AccountRig.run { rig in
            _ = try rig.confirmed()
            #expect(throws: problem) { try rig.register(name, email) }
        }
    }

    /// The index decides where the question before it came too early.
    @Test func ofTwoAtOnceOneHasIt() async throws {
        try await TestDatabase.withPool { pool, database in
            let rules = try AccountRig.rules()
            try pool.withClient { client throws(MongoError) in
                _ = try AccountsIndexes.ensure(client: client, database: database)
            }
            let ends = await withTaskGroup(of: String.self) { group in
                for number in 0..<6 {
                    group.addTask {
                        guard let client = try? pool.pop() else { return "no client" }
                        defer { pool.push(client) }
                        let rig = AccountRig(client: client, database: database, rules: rules)
                        do {
                            // Who comes second with an address that nobody has confirmed has the account of the first.
                            let name = number < 3 ? "same.name" : "name\(number)"
                            return "made \(try rig.register(name, "a\(number % 3)@example.com").account.id)"
                        } catch {
                            return "\(error)"
                        }
                    }
                }
                return await group.reduce(into: [String: Int]()) { $0[$1, default: 0] += 1 }
            }
            let documents = try pool.withClient { client throws(MongoError) in
                try client.collection(database: database, name: "accounts").find(.empty).all()
            }
            let made = Set(ends.keys.filter { $0.hasPrefix("made ") }.map { String($0.dropFirst(5)) })
            #expect(Set(documents.compactMap { $0["_id"]?.string }) == made)
            #expect(Set(documents.compactMap { $0["username_key"]?.string }).count == documents.count)
            #expect(Set(documents.compactMap { $0["email_key"]?.string }).count == documents.count)
            #expect(Set(ends.keys.filter { !$0.hasPrefix("made ") }).subtracting(["nameTaken", "emailTaken"]).isEmpty)
        }
    }

    @Test func theStoreHasNoPasswordAndNoToken() throws {
        try AccountRig.run { rig in
            let made = try rig.register()
            let account = try rig.confirmation.confirm(made.token.reveal(), now: now)
            let tokens = try rig.logins.begin(account, now: now)
            for collection in ["accounts", "logins"] {
                for document in try rig.client.collection(database: rig.database, name: collection).find(.empty).all() {
                    let text = String(decoding: document.bytes, as: UTF8.self)
                    for secret in ["correct horse", made.token.reveal(), tokens.refresh, tokens.access] {
                        #expect(!text.contains(secret))
                    }
                }
            }
        }
    }

    /// Nobody keeps an address from its owner, or is let in because its owner presses a button.
    @Test func aNewSignUpTakesThePlaceOfAnUnconfirmedOne() throws {
        try AccountRig.run { rig in
            let first = try rig.register("mallory", "Ada@Example.com")
            let secret = try rig.password("battery staple")
            let (name, email) = (try #require(AccountName("Ada.L")), try #require(EmailAddress("ada@example.com")))
            let second = try rig.signUp.register(name, email, secret, now: now)
            #expect(try rig.reader.account(called: "mallory") == nil)
            #expect(try rig.reader.account(called: "ada.l") == second.account)
            #expect(throws: ConfirmationProblem.expired) {
                try rig.confirmation.confirm(first.token.reveal(), now: now)
            }
            let account = try rig.confirmation.confirm(second.token.reveal(), now: now)
            #expect(account.name.text == "Ada.L")
            #expect(throws: LogInProblem.wrongPassword) {
                try rig.logIn.account(called: "ada@example.com", rig.password(), now: now)
            }
            #expect(try rig.logIn.account(called: "ada.l", secret, now: now).id == account.id)
            // What is confirmed stays.
            #expect(throws: SignUpProblem.emailTaken) { try rig.register("mallory", "ada@example.com") }
            #expect(throws: SignUpProblem.nameTaken) { try rig.register("ADA.L", "ada@example.com") }
        }
    }

    @Test func signingUpAgainSendsThreeMailsAnHour() throws {
        try AccountRig.run { rig in
            var tokens: [ConfirmationToken] = []
            for number in 0..<3 { tokens.append(try rig.register("name\(number)", now: now).token) }
            #expect(throws: SignUpProblem.emailTaken) { try rig.register("name3", now: now) }
            #expect(try rig.reader.account(called: "name2") != nil)
            #expect(throws: ConfirmationProblem.expired) { try rig.confirmation.confirm(tokens[1].reveal(), now: now) }
            #expect(try rig.confirmation.confirm(tokens[2].reveal(), now: now).name.text == "name2")
        }
    }

    @Test func aNameOfSomebodyElseIsNotTakenBySigningUpAgain() throws {
        try AccountRig.run { rig in
            _ = try rig.register("other", "other@example.com")
            let made = try rig.register()
            #expect(throws: SignUpProblem.nameTaken) { try rig.register("OTHER") }
            #expect(try rig.confirmation.confirm(made.token.reveal(), now: now).id == made.account.id)
        }
    }

    /// Somebody signs up with Ada's address while Ada waits for her mail: she says her password, and theirs is not confirmed by her.
    @Test func whoSaysThePasswordConfirmsNobodyElses() throws {
        try AccountRig.run { rig in
            let adas = try rig.register().token
            let name = try #require(AccountName("eve.e"))
            let email = try #require(EmailAddress("ada@example.com"))
            let eves = try rig.signUp.register(name, email, rig.password("battery staple"), now: now + 1).token
            func confirm(_ token: ConfirmationToken, _ password: String) throws(OwnConfirmationProblem) -> Account {
                try rig.confirmation.confirm(
                    token.reveal(),
                    PlainPassword(password),
                    from: AccountRig.home,
                    now: now + 2
                )
            }
            #expect(throws: OwnConfirmationProblem.logIn(.wrongPassword)) { try confirm(eves, "correct horse") }
            #expect(try rig.reader.account(email)?.confirmedAt == nil)
            // Hers is void, whatever she says with it.
            #expect(throws: OwnConfirmationProblem.confirmation(.expired)) { try confirm(adas, "battery staple") }
            #expect(try confirm(eves, "battery staple").name == name)
            #expect(throws: OwnConfirmationProblem.confirmation(.alreadyConfirmed)) {
                try confirm(eves, "battery staple")
            }
        }
    }

    @Test func confirmsOnce() throws {
        try AccountRig.run { rig in
            let token = try rig.register().token.reveal()
            let account = try rig.confirmation.confirm(token, now: now + 5)
            #expect(account.confirmedAt == now + 5)
            #expect(throws: ConfirmationProblem.alreadyConfirmed) { try rig.confirmation.confirm(token, now: now + 6) }
            let document = try #require(
                try rig.client.collection(database: rig.database, name: "accounts").findOne(.empty)
            )
            // Nothing is left that could end it, or confirm it again.
            #expect(document["expires_at"] == nil)
            #expect(document["confirmations"] == nil)
            #expect(try rig.confirmation.renew(account, now: now) == nil)
        }
    }

    @Test func aLinkHoldsForADay() throws {
        try AccountRig.run { rig in
            let token = try rig.register().token.reveal()
            let day: Int64 = 86_400_000
            #expect(throws: ConfirmationProblem.expired) {
                try rig.confirmation.confirm(token, now: now + day + 61_000)
            }
            #expect(try rig.confirmation.confirm(token, now: now + day - 1).confirmedAt != nil)
        }
    }

    @Test func otherTokensConfirmNothing() throws {
        try AccountRig.run { rig in
            let made = try rig.register()
            let account = try rig.confirmed("eve.e", "eve@example.com")
            let tokens = try rig.logins.begin(account, now: now)
            for text in ["", "x", tokens.access, tokens.refresh, made.token.reveal() + "x"] {
                #expect(throws: ConfirmationProblem.unreadable) { try rig.confirmation.confirm(text, now: now) }
            }
            // Well signed, but no mail had it.
            let forged = ConfirmationToken(for: made.account, rig.rules, now: now).reveal()
            #expect(throws: ConfirmationProblem.expired) { try rig.confirmation.confirm(forged, now: now) }
        }
    }

    @Test func threeMailsAnHour() throws {
        try AccountRig.run { rig in
            let made = try rig.register()
            let second = try #require(try rig.confirmation.renew(made.account, now: now + 1))
            let third = try #require(try rig.confirmation.renew(made.account, now: now + 2))
            #expect(try rig.confirmation.renew(made.account, now: now + 3) == nil)
            let hour: Int64 = 3_600_000
            let fourth = try #require(try rig.confirmation.renew(made.account, now: now + hour))
            #expect(try rig.confirmation.renew(made.account, now: now + hour) == nil)
            // The latest three hold.
            #expect(throws: ConfirmationProblem.expired) {
                try rig.confirmation.confirm(made.token.reveal(), now: now + hour)
            }
            #expect(try rig.confirmation.confirm(second.reveal(), now: now + hour).id == made.account.id)
            for token in [third, fourth] {
                #expect(throws: ConfirmationProblem.alreadyConfirmed) {
                    try rig.confirmation.confirm(token.reveal(), now: now + hour)
                }
            }
            #expect(Set([made.token.id, second.id, third.id, fourth.id]).count == 4)
        }
    }

    @Test func logInTellsWhatIsWrong() throws {
        try AccountRig.run { rig in
            let made = try rig.register()
            #expect(throws: LogInProblem.unknownName) {
                try rig.logIn.account(called: "nobody", rig.password(), now: now)
            }
            #expect(throws: LogInProblem.unknownName) {
                try rig.logIn.account(called: "no name!", rig.password(), now: now)
            }
            #expect(throws: LogInProblem.wrongPassword) {
                try rig.logIn.account(called: "ada.l", rig.password("wrong"), now: now)
            }
            #expect(throws: LogInProblem.wrongPassword) { try rig.logIn.account(called: "ada.l", nil, now: now) }
            #expect(throws: LogInProblem.notConfirmed) {
                try rig.logIn.account(called: "ada.l", rig.password(), now: now)
            }
            _ = try rig.confirmation.confirm(made.token.reveal(), now: now)
            let account = try rig.logIn.account(called: "ADA@example.com", rig.password(), now: now)
            #expect(account.id == made.account.id)
            #expect(account.tries.failures == 0)
            try rig.set("accounts", id: account.id, "suspended_at", date: now)
            #expect(throws: LogInProblem.suspended) {
                try rig.logIn.account(called: "ada.l", rig.password(), now: now)
            }
        }
    }

    /// After five wrong passwords each costs a wait, for the right one, too; the wait is never without an end.
    @Test func guessesBecomeSlow() throws {
        try AccountRig.run { rig in
            _ = try rig.confirmed()
            for _ in 1...5 {
                #expect(throws: LogInProblem.wrongPassword) {
                    try rig.logIn.account(called: "ada.l", rig.password("wrong"), now: now)
                }
            }
            #expect(throws: LogInProblem.delayed(1000)) {
                try rig.logIn.account(called: "ada.l", rig.password(), now: now)
            }
            #expect(throws: LogInProblem.wrongPassword) {
                try rig.logIn.account(called: "ada.l", rig.password("wrong"), now: now + 1000)
            }
            #expect(throws: LogInProblem.delayed(2000)) {
                try rig.logIn.account(called: "ada@example.com", rig.password(), now: now + 1000)
            }
            #expect(try rig.logIn.account(called: "ada.l", rig.password(), now: now + 3000).tries.failures == 0)
            #expect(throws: LogInProblem.wrongPassword) {
                try rig.logIn.account(called: "ada.l", rig.password("wrong"), now: now + 3000)
            }
            #expect(try rig.logIn.account(called: "ada.l", rig.password(), now: now + 3000).tries.nextTryAt == nil)
        }
    }

    /// Whoever guesses, however often, keeps nobody out who has logged in before from where they are.
    @Test func guessesKeepTheOwnerIn() throws {
        try AccountRig.run { rig in
            let account = try rig.confirmed()
            for number in 0..<60 {
                _ = try? rig.logIn.account(
                    called: "ada.l",
                    rig.password("wrong"),
                    from: "198.51.100.\(number % 3)",
                    now: now + Int64(number) * 900_000
                )
            }
            let later = now + 59 * 900_000
            for place in ["198.51.100.1", "198.51.100.2", "203.0.113.7"] {
                #expect(throws: LogInProblem.self) {
                    try rig.logIn.account(called: "ada.l", rig.password(), from: place, now: later)
                }
            }
            #expect(try rig.logIn.account(called: "ada.l", rig.password(), now: later).id == account.id)
            // Nor anybody who has logged in, and is asked again.
            #expect(try rig.logIn.check(account, rig.password(), now: later).id == account.id)
            // Nor whoever reads the account's mail.
            let reset = PasswordReset(client: rig.client, database: rig.database, rules: rig.rules)
            let token = try #require(try reset.begin(account, now: later))
            _ = try reset.use(token.reveal(), rig.password("battery staple"), from: "203.0.113.7", now: later)
            for _ in 0..<200 {
                _ = try? rig.logIn.account(called: "ada.l", rig.password("wrong"), from: "198.51.100.1", now: later)
            }
            let entered = try rig.logIn.account(
                called: "ada.l",
                rig.password("battery staple"),
                from: "203.0.113.7",
                now: later
            )
            #expect(entered.id == account.id)
        }
    }

    @Test func theStoreHasNoAddressOfAPlace() throws {
        try AccountRig.run { rig in
            _ = try rig.confirmed()
            _ = try? rig.logIn.account(called: "ada.l", rig.password("wrong"), from: "198.51.100.1", now: now)
            let document = try #require(
                try rig.client.collection(database: rig.database, name: "accounts").findOne(.empty)
            )
            let places = document["places"]?.elements?.compactMap { $0.document?["place"]?.string } ?? []
            #expect(places.count == 2)
            let text = String(decoding: document.bytes, as: UTF8.self)
            #expect(!text.contains("198.51.100") && !text.contains(AccountRig.home))
        }
    }

    /// A dearer password is hashed anew when it is known, at the log-in.
    @Test func hashesKeepUpWithTheirCost() throws {
        try AccountRig.run { rig in
            let account = try rig.confirmed()
            var dearer = rig
            dearer.rules = try AccountRig.rules(cost: PasswordCost(memory: 128, passes: 2, lanes: 1))
            #expect(throws: LogInProblem.wrongPassword) {
                try dearer.logIn.account(called: "ada.l", rig.password("wrong"), now: now)
            }
            #expect(try rig.reader.account(id: account.id)?.password == account.password)
            _ = try dearer.logIn.account(called: "ada.l", rig.password(), now: now)
            let stored = try #require(try rig.reader.account(id: account.id))
            #expect(stored.password.isMade(at: dearer.rules.cost))
            #expect(stored.passwordChangedAt == account.passwordChangedAt)
            #expect(try rig.logIn.account(called: "ada.l", rig.password(), now: now).id == account.id)
        }
    }

    @Test func tokensLetIn() throws {
        try AccountRig.run { rig in
            let account = try rig.confirmed()
            let tokens = try rig.logins.begin(account, now: now)
            #expect(try rig.tokens.account(tokens.access, now: now) == account)
            let renewed = try rig.logins.renew(tokens.refresh, now: now + 7_200_000)
            #expect(renewed.account == account)
            #expect(throws: AccessProblem.refused) { try rig.tokens.account(tokens.access, now: now + 7_200_000) }
            #expect(try rig.tokens.account(renewed.access, now: now + 7_200_000) == account)
            for text in ["", "garbage", tokens.refresh] {
                #expect(throws: AccessProblem.refused) { try rig.tokens.account(text, now: now) }
            }
            for text in ["", "garbage", tokens.access] {
                #expect(throws: RenewalProblem.refused) { try rig.logins.renew(text, now: now) }
            }
        }
    }

    @Test func aTokenWithoutANameIsAnotherProblem() throws {
        try AccountRig.run { rig in
            let account = try rig.confirmed()
            let claims = TokenClaims(
                subject: account.id,
                username: nil,
                issuedAt: now / 1000,
                expiresAt: now / 1000 + 60,
                id: "1",
                passwordMark: account.passwordMark
            )
            let token = rig.rules.signer.token(.access, claims)
            #expect(throws: AccessProblem.nameless) { try rig.tokens.account(token, now: now) }
        }
    }

    @Test func aNewPasswordEndsEverything() throws {
        try AccountRig.run { rig in
            let account = try rig.confirmed()
            let tokens = try rig.logins.begin(account, now: now)
            let change = PasswordChange(client: rig.client, database: rig.database, cost: rig.rules.cost)
            #expect(try change.change(account, to: rig.password("battery staple"), now: now)?.id == account.id)
            #expect(throws: AccessProblem.refused) { try rig.tokens.account(tokens.access, now: now) }
            #expect(throws: RenewalProblem.refused) { try rig.logins.renew(tokens.refresh, now: now) }
            #expect(throws: LogInProblem.wrongPassword) {
                try rig.logIn.account(called: "ada.l", rig.password(), now: now)
            }
            // Of two changes at once, one counts.
            #expect(try change.change(account, to: rig.password("third"), now: now) == nil)
            let again = try rig.logIn.account(called: "ada.l", rig.password("battery staple"), now: now)
            let fresh = try rig.logins.begin(again, now: now)
            #expect(try rig.tokens.account(fresh.access, now: now) == again)
            #expect(try rig.logins.renew(fresh.refresh, now: now).account == again)
        }
    }

    @Test func suspensionHoldsAtOnce() throws {
        try AccountRig.run { rig in
            let account = try rig.confirmed()
            let tokens = try rig.logins.begin(account, now: now)
            let suspension = Suspension(client: rig.client, database: rig.database)
            #expect(try suspension.suspend(account.id, now: now)?.state == .suspended)
            // The first date stays.
            #expect(try suspension.suspend(account.id, now: now + 5)?.suspendedAt == now)
            #expect(throws: AccessProblem.refused) { try rig.tokens.account(tokens.access, now: now) }
            #expect(throws: RenewalProblem.refused) { try rig.logins.renew(tokens.refresh, now: now) }
            #expect(try suspension.resume(account.id) == account)
            #expect(try suspension.resume(account.id) == account)
            #expect(try rig.tokens.account(tokens.access, now: now) == account)
            #expect(try suspension.suspend("acc_nobody", now: now) == nil)
            #expect(try suspension.resume("acc_nobody") == nil)
        }
    }

    @Test func accountsAreListedByState() throws {
        try AccountRig.run { rig in
            let waiting = try rig.register("waiting", "waiting@example.com", now: now + 1).account
            let active = try rig.confirmed("active", "active@example.com")
            let suspension = Suspension(client: rig.client, database: rig.database)
            let suspended = try #require(
                try suspension.suspend(rig.register("gone", "gone@example.com", now: now + 2).account.id, now: now)
            )
            #expect(try rig.reader.accounts(limit: 10) == [suspended, waiting, active])
            #expect(try rig.reader.accounts(limit: 2) == [suspended, waiting])
            #expect(try rig.reader.accounts(.unconfirmed, limit: 10) == [waiting])
            #expect(try rig.reader.accounts(.active, limit: 10) == [active])
            #expect(try rig.reader.accounts(.suspended, limit: 10) == [suspended])
        }
    }

    /// Each log-in has a row of its own, so that one ends alone; the oldest end where there are too many.
    @Test func logInsAreBounded() throws {
        try AccountRig.run { rig in
            let account = try rig.confirmed()
            var all: [LoginTokens] = []
            for number in 0...LoginStore.most {
                all.append(try rig.logins.begin(account, now: now + Int64(number)))
            }
            #expect(throws: RenewalProblem.refused) { try rig.logins.renew(all[0].refresh, now: now) }
            for tokens in all[1...] { #expect(try rig.logins.renew(tokens.refresh, now: now).account == account) }
        }
    }
}
