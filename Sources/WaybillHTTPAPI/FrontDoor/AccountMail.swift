import WaybillAccounts
import WaybillMongo
import WaybillOutbox
import WaybillSettings

/// The mails to a person about their account, into the outbox.
///
/// None repeats what somebody else may have typed but a name. A link begins with the configuration's address, never with what a
/// request says; the ids of tokens and moments keep each from going twice.
///
/// *Thread:* its client's. *Blocking:* up to the limits of the pool.
struct AccountMail {
    let door: FrontDoor
    let client: MongoClient
    /// Milliseconds since 1970.
    let now: Int64

    private static let hour: Int64 = 3_600_000
    /// Longer than the change of an address takes, in milliseconds.
    private static let changeTime: Int64 = 10_000

    /// Asks whether an address is that of whoever gave it.
    ///
    /// - Throws: when it is not known to be durable; the same of all that follow.
    func confirmation(_ account: Account, _ token: ConfirmationToken) throws(MongoError) {
        try enqueue(
            id: "confirm-\(token.id)",
            to: account.email,
            counted: .signUp,
            subject: "Confirm your e-mail address",
            [
                "If you have not signed up\(Self.under(account.name)) just now, leave this mail alone and do not confirm: somebody "
                    + "else would have an account with your address. Without a confirmation it goes by itself.",
                "If it was you, confirm the address within a day.",
            ],
            (.confirm, "Confirm the address", token)
        )
    }

    /// Has a link for a new password, if no three mails with one have gone within the hour.
    func reset(_ account: Account) throws(MongoError) {
        // Before a new token, which voids the oldest link.
        guard door.mailboxes.hasRoom(.reset, for: account.email) else { return }
        let reset = PasswordReset(client: client, database: door.database, rules: door.rules)
        guard let token = try reset.begin(account, now: now) else { return }
        try enqueue(
            id: "reset-\(token.id)",
            to: account.email,
            counted: .reset,
            subject: "Choose a new password",
            [
                "If you have not asked for a new password, leave this mail alone: nothing has changed.",
                "If it was you, choose one within an hour; wherever you are logged in, that ends.",
            ],
            (.reset, "Choose a new password", token)
        )
    }

    /// To the holder of an address that was used for another sign-up; once an hour.
    ///
    /// Without a link: a link would count among the three of the account's own resets.
    func taken(_ account: Account) throws(MongoError) {
        try enqueue(
            id: "taken-\(account.id)-\(now / Self.hour)",
            to: account.email,
            counted: .signUp,
            subject: "You have an account already",
            [
                "If you have not signed up with this address just now, leave this mail alone: nothing has changed.",
                "If it was you: the address has an account already. Log in with its password, or ask for a new one where you "
                    + "log in.",
            ]
        )
    }

    /// To somebody who has signed up under a name of somebody else; once an hour to one address.
    func nameTaken(_ email: EmailAddress) throws(MongoError) {
        try enqueue(
            id: "name-taken-\(door.rules.pseudonym(of: email))-\(now / Self.hour)",
            to: email,
            counted: .signUp,
            subject: "Choose another username",
            [
                "If you have not signed up with this address just now, leave this mail alone: it has no account.",
                "If it was you: another account has that username. Sign up again with another one.",
            ]
        )
    }

    /// Tells that the password is another one, and all other log-ins have ended.
    func passwordChanged(_ account: Account) throws(MongoError) {
        try enqueue(
            id: "password-\(account.id)-\(account.passwordChangedAt)",
            to: account.email,
            subject: "Your password was changed",
            [
                "If you have not changed the password of the account with this address, ask for a new one at once, where you "
                    + "log in: it was changed.",
                "If it was you, there is nothing to do. Everybody who was logged in elsewhere is logged out.",
            ]
        )
    }

    /// Asks whether an address that an account is to have belongs to whoever gave it.
    func newAddress(_ email: EmailAddress, _ token: ConfirmationToken) throws(MongoError) {
        try enqueue(
            id: "address-\(token.id)",
            to: email,
            subject: "Confirm your new e-mail address",
            [
                "Somebody wants to use this address for their account from now on. If that was you, confirm it within a day.",
                "If it was not you, leave this mail alone: nothing has changed.",
            ],
            (.newAddress, "Confirm the address", token)
        )
    }

    /// To somebody whose address another account wants to have; once an hour.
    func addressWanted(_ account: Account) throws(MongoError) {
        try enqueue(
            id: "address-wanted-\(account.id)-\(now / Self.hour)",
            to: account.email,
            subject: "Your e-mail address has an account already",
            [
                "Somebody wants to use this address for another account. It has an account already, so nothing has changed.",
                "If that was you, log in to the account that you no longer need, and delete it first.",
            ]
        )
    }

    /// Tells the address that an account has until now, with the way back; some seconds later, when it has another one.
    func addressChanged(_ former: EmailAddress, _ wayBack: ConfirmationToken) throws(MongoError) {
        try enqueue(
            id: Self.addressChangedID(wayBack),
            to: former,
            due: now + Self.changeTime,
            subject: "Your e-mail address was changed",
            [
                "The account with this address has another address now. If that was not you, change it back within a week: "
                    + "wherever somebody is logged in, that ends, and you choose a new password.",
                "If it was you, there is nothing to do.",
            ],
            (.formerAddress, "Change it back", wayBack)
        )
    }

    /// The account keeps its address.
    func withdrawAddressChanged(_ wayBack: ConfirmationToken) throws(MongoError) {
        try MailOutbox(client: client, database: door.database).withdraw(id: Self.addressChangedID(wayBack), now: now)
    }

    private static func addressChangedID(_ wayBack: ConfirmationToken) -> String { "address-changed-\(wayBack.id)" }

    /// Tells that there is no account any more, where its person can be told.
    func deleted(_ account: DepartingAccount) throws(MongoError) {
        guard let email = account.email else { return }
        try enqueue(
            id: "deleted-\(account.id)",
            to: email,
            subject: "Your account was deleted",
            ["The account with this address was deleted, with its services. There is nothing to do."]
        )
    }

    /// Invites somebody to a service; whether they have an account makes no difference.
    ///
    /// The service's name is not said: somebody has typed it, and whoever logs in sees it.
    func invitation(_ invitation: Invitation, _ secret: InvitationSecret, _ email: EmailAddress) throws(MongoError) {
        try enqueue(
            id: "invitation-\(invitation.id)",
            to: email,
            subject: "You are invited to a service",
            [
                "Somebody invites you to be told what a service of theirs has to say. Open the link within a week and log in, or "
                    + "sign up first; you see which service it is before you decide.",
                "If you do not expect this, leave this mail alone: nothing happens, and the invitation ends by itself.",
            ],
            link: (
                "Look at the invitation", door.settings.baseURL + InvitationRoutes.link + secret.reveal(),
                invitation.endsAt
            )
        )
    }

    /// Tells somebody that they do not belong to a service any more, and did not leave it themselves.
    ///
    /// The service's name is not said, as in the two that follow: somebody else has typed it.
    func removed(_ account: Account, from service: String) throws(MongoError) {
        try enqueue(
            id: "removed-\(service)-\(account.id)-\(now)",
            to: account.email,
            subject: "You were taken out of a service",
            [
                "Somebody who manages a service has taken you out of it, so you are told nothing by it any more. Log in to see the "
                    + "services that you still belong to.",
                "There is nothing to do. Whoever manages the service can invite you again.",
            ]
        )
    }

    /// Tells somebody that a service is theirs.
    func serviceReceived(_ account: Account, _ service: String) throws(MongoError) {
        try enqueue(
            id: "received-\(service)-\(account.id)-\(now)",
            to: account.email,
            subject: "A service was given to you",
            [
                "The owner of a service that you belong to has given it to you: you decide who belongs to it and which keys it has, "
                    + "and you may end it. Log in to see it.",
                "If you do not want it, give it to somebody else who belongs to it, or end it.",
            ]
        )
    }

    /// Tells somebody that a service is theirs no more.
    func serviceGiven(_ account: Account, _ service: String) throws(MongoError) {
        try enqueue(
            id: "given-\(service)-\(account.id)-\(now)",
            to: account.email,
            subject: "You gave a service away",
            [
                "A service of this account was given to somebody else who belongs to it. You manage it from now on, and do not own it.",
                "If that was not you, change your password at once, and ask the new owner to give the service back.",
            ]
        )
    }

    /// Tells that a service's key ends soon.
    func keyEnds(_ notice: ServiceKeyNotice, _ account: Account) throws(MongoError) {
        let days = notice.days <= 1 ? "within a day" : "in \(notice.days) days"
        try enqueue(
            id: "key-ends-\(notice.key.id)-\(notice.days)-\(account.id)",
            to: account.email,
            subject: "A key of a service ends \(days)",
            [
                "The key \(notice.key.shown) of a service that you manage ends \(days). Whoever notifies with it is refused then.",
                "Rotate it where you manage the service: the new key and this one hold side by side for as long as you choose.",
            ]
        )
    }

    /// Tells that a service's webhook is told nothing any more, because of what it answers.
    ///
    /// Its URL is not said: somebody has typed it, and whoever logs in sees it.
    func webhookDisabled(_ endpoint: WebhookEndpoint, _ account: Account) throws(MongoError) {
        try enqueue(
            id: "webhook-disabled-\(endpoint.id)-\(endpoint.activeSince)-\(account.id)",
            to: account.email,
            subject: "A webhook of a service was disabled",
            [
                "The webhook \(endpoint.id) of a service that you manage is told nothing any more: "
                    + "\(endpoint.reason ?? "it takes nothing").",
                "See to it that it answers, and enable the webhook where you manage the service. What waits until then is told when you "
                    + "do, for up to 30 days; what happens meanwhile is not.",
            ]
        )
    }

    /// A name that mail programs would make a link of is not said.
    private static func under(_ name: AccountName) -> String {
        name.text.contains(".") ? "" : " under the name \(name.text)"
    }

    private func enqueue(
        id: String,
        to email: EmailAddress,
        counted kind: MailboxAllowances.Kind? = nil,
        due: Int64? = nil,
        subject: String,
        _ paragraphs: [String],
        _ link: (page: LinkPage.Kind, label: String, token: ConfirmationToken)
    ) throws(MongoError) {
        let url = door.settings.baseURL + link.page.prefix + link.token.reveal()
        try enqueue(
            id: id,
            to: email,
            counted: kind,
            due: due,
            subject: subject,
            paragraphs,
            link: (link.label, url, link.token.expiresAt)
        )
    }

    private func enqueue(
        id: String,
        to email: EmailAddress,
        counted kind: MailboxAllowances.Kind? = nil,
        due: Int64? = nil,
        subject: String,
        _ paragraphs: [String],
        link: (label: String, url: String, notAfter: Int64)? = nil
    ) throws(MongoError) {
        let mail: Mail
        do throws(MailError) {
            let link = try link.map { link throws(MailError) in try MailLink(label: link.label, url: link.url) }
            mail = try Mail(to: MailAddress(email.text), subject: subject, paragraphs: paragraphs, link: link)
        } catch {
            throw MongoError(code: .commandFailed, operation: "compose a mail", reason: error.description)
        }
        let isNew = try MailOutbox(client: client, database: door.database).enqueue(
            id: id,
            mail,
            now: now,
            due: due,
            notAfter: link?.notAfter
        )
        if isNew, let kind { door.mailboxes.note(kind, to: email) }
    }
}
