import WaybillAccounts
import WaybillMongo
import WaybillPassword

/// What signing up is, whatever answers it: an account and a mail.
///
/// *Thread:* its client's; a password is hashed on it. *Blocking:* up to the limits of the pool, and tens of milliseconds.
struct SigningUp {
    let door: FrontDoor
    let client: MongoClient
    /// Milliseconds since 1970.
    let now: Int64

    private var mail: AccountMail { AccountMail(door: door, client: client, now: now) }

    /// Makes an account that waits for its confirmation, and sends the mail.
    ///
    /// With `replacing`, another account gives way that waits with this address.
    func register(
        _ name: AccountName,
        _ email: EmailAddress,
        _ password: PlainPassword,
        replacing: Bool = true
    ) throws(SignUpProblem) {
        let (account, token) = try SignUp(client: client, database: door.database, rules: door.rules)
            .register(name, email, password, replacing: replacing, now: now)
        // An account whose mail is lost here is there all the same, and asks for another.
        do throws(MongoError) {
            try mail.confirmation(account, token)
        } catch {
            throw .fault(.store(error))
        }
    }

    /// The same, and what is taken is said by mail alone, to whom the address belongs.
    ///
    /// A full mailbox changes nothing: no mail could say what to do.
    func registerQuietly(_ name: AccountName, _ email: EmailAddress, _ password: PlainPassword) throws(AccountFault) {
        guard door.mailboxes.hasRoom(.signUp, for: email) else { return try spend(password) }
        do throws(SignUpProblem) {
            return try register(name, email, password)
        } catch {
            if case .fault(let fault) = error { throw fault }
        }
        try spend(password)
        do throws(MongoError) {
            if let account = try AccountReader(client: client, database: door.database).account(email) {
                try mail.taken(account)
            } else {
                try mail.nameTaken(email)
            }
        } catch {
            throw .store(error)
        }
    }

    /// Takes as long as an account does.
    private func spend(_ password: PlainPassword) throws(AccountFault) {
        do throws(LogInProblem) {
            try LogIn(client: client, database: door.database, rules: door.rules).spend(password)
        } catch {
            if case .fault(let fault) = error { throw fault }
        }
    }

    /// Another mail, if there is such an account, by its name or its address, and it is not confirmed.
    func resend(to text: String) throws(MongoError) {
        guard let account = try AccountReader(client: client, database: door.database).account(called: text),
            account.confirmedAt == nil, door.mailboxes.hasRoom(.signUp, for: account.email)
        else { return }
        let confirmation = AddressConfirmation(client: client, database: door.database, rules: door.rules)
        guard let token = try confirmation.renew(account, now: now) else { return }
        try mail.confirmation(account, token)
    }
}
