/// The collections of this module and their fields.
///
/// `keys`: one document for each key that was ever made; none is erased.
///
/// | field | type | meaning |
/// |---|---|---|
/// | `_id` | string | the key's public name, `key_` and ten characters |
/// | `digest` | string | SHA-256 of the whole key in hexadecimal digits; unique |
/// | `kind` | string | whose key it is: `operator` |
/// | `mode` | string | `live` or `test` |
/// | `last_four` | string | what people tell keys apart by |
/// | `name` | string | what it is for |
/// | `role` | string | a word of ``Role`` |
/// | `all_clients` | bool | true: records of every client |
/// | `clients` | array | else the names of those whose records it sees |
/// | `created_by` | string | who made it |
/// | `created_at` | date | |
/// | `expires_at` | date | when it ends; absent: not by itself |
/// | `last_used_at` | date | to the minute; absent: never used |
/// | `replaced_by` | string | the key that it was rotated to |
/// | `revoked_at` | date | when somebody ended it |
///
/// `sessions`: one document for each log-in, until the session's time is over.
///
/// | field | type | meaning |
/// |---|---|---|
/// | `_id` | string | SHA-256 of the session's secret in hexadecimal digits |
/// | `key` | string | `_id` of the key that somebody has logged in with |
/// | `created_at` | date | |
/// | `expires_at` | date | when it ends, and when the TTL index erases it |
/// | `ended_at` | date | when somebody logged out; absent: nobody has |
///
/// `accounts`: one document for each person; what nobody confirms goes after a week.
///
/// | field | type | meaning |
/// |---|---|---|
/// | `_id` | string | `acc_` and 16 characters |
/// | `username`, `email` | string | as they were typed, the address's domain in small letters |
/// | `username_key`, `email_key` | string | the same in small letters; each unique |
/// | `password` | string | argon2id's hash in PHC form |
/// | `password_changed_at` | date | log-ins and tokens from before it are void |
/// | `created_at` | date | |
/// | `confirmed_at` | date | when the address was shown to be theirs; absent: it was not |
/// | `confirmations` | array | absent in a confirmed account; of the three latest mails `digest` (of the token, as in `keys`), `password_changed_at` (as in the account at that time: another date there makes the link void), `sent_at`, `expires_at` |
/// | `resets` | array | absent where none was asked for; of the three latest mails for a new password what `confirmations` has |
/// | `address_change` | object | the address that is to be its own, when a mail's link says so: `email`, `digest`, `sent_at`, `expires_at` |
/// | `former_addresses` | array | addresses that it can go back to by a mail's link, the first one first: `email`, `digest`, `expires_at` of each |
/// | `expires_at` | date | when the TTL index erases an account that nobody has confirmed, or that was deleted; absent in others |
/// | `suspended_at` | date | when an operator suspended it; absent: it is not |
/// | `deletion` | object | absent while nobody deletes it; `_id` and `request` (its id) of the request that does, `asked_at`, and `decided_at`: from then on there is no such account; `asked_at` is absent in one that is erased |
/// | `quiet_hours` | object | when its phones are to be silent: `from` and `to` in minutes of the day, `zone`; absent: never |
/// | `failures` | int | wrong passwords in a row from places where nobody knew it before |
/// | `next_try_at` | date | when the next one from such a place is looked at; absent: at once |
/// | `places` | array | where passwords were tried lately: `place` (a code of the neighbourhood of addresses), `failures` and `next_try_at` of that place, `known_at` (when somebody was there who knew the password, or read the mail), `tried_at` |
/// | `tries` | long | how often any of these four was written |
///
/// `logins`: one document for each log-in of a person.
///
/// | field | type | meaning |
/// |---|---|---|
/// | `_id` | string | `log_` and 16 characters |
/// | `account` | string | `_id` of the account |
/// | `digest` | string | of the refresh token, as in `keys`; unique |
/// | `password_changed_at` | date | as in the account at that time: another date there makes it void |
/// | `created_at` | date | |
/// | `name` | string | what the person calls the device or browser; absent: nothing |
/// | `number` | long | of the refresh token, where each holds once; absent: one holds until the log-in ends |
/// | `renewed_at` | date | when that token was given out; absent where `number` is |
/// | `ended_at` | date | when it ended; absent: it has not |
/// | `expires_at` | date | when it ends, and when the TTL index erases it; absent in one without `number` that has not ended |
///
/// `secrets`: one document for each key that all processes of the installation have in common.
///
/// | field | type | meaning |
/// |---|---|---|
/// | `_id` | string | a word of ``SharedSecret/Purpose`` |
/// | `key` | string | 32 random bytes in hexadecimal digits |
/// | `created_at` | date | |
///
/// `audit`: one document for each look-up of a token, log-in and log-out, change of a campaign, and change of who may do what with
/// a service; none is changed or erased.
///
/// | field | type | meaning |
/// |---|---|---|
/// | `_id` | UUID | random |
/// | `at` | date | before the answer was given |
/// | `action` | string | a word of ``AuditEntry/Action`` |
/// | `key` | string | `_id` of the key that asked; absent: a person did |
/// | `key_name` | string | its name at that time |
/// | `account` | string | `_id` of the account of the person; absent: a key asked |
/// | `service` | string | `_id` of the service that it is about; absent: it is about none |
/// | `subject` | string | the name of the campaign; or `_id` of the key, the invitation or the other account; absent: it has none |
/// | `role` | string | what somebody is to the service from then on; absent where that is not what changes |
/// | `token` | string | SHA-256 of the token as it is sent, in hexadecimal digits; absent: it is about no token |
/// | `how` | string | method and route, without values |
/// | `request` | string | the request's id, as the access log has it |
/// | `address` | string | where the request of a key came from; absent: not known, or a person's |
enum Accounts {
    static let keys = "keys"
    static let sessions = "sessions"
    static let secrets = "secrets"
    static let audit = "audit"
    static let accounts = "accounts"
    static let logins = "logins"
    /// The kind of an operator's key.
    static let operatorKind = "operator"

    enum KeyField {
        static let id: StaticString = "_id"
        static let digest: StaticString = "digest"
        static let kind: StaticString = "kind"
        static let mode: StaticString = "mode"
        static let lastFour: StaticString = "last_four"
        static let name: StaticString = "name"
        static let role: StaticString = "role"
        static let allClients: StaticString = "all_clients"
        static let clients: StaticString = "clients"
        static let createdBy: StaticString = "created_by"
        static let createdAt: StaticString = "created_at"
        static let expiresAt: StaticString = "expires_at"
        static let lastUsedAt: StaticString = "last_used_at"
        static let replacedBy: StaticString = "replaced_by"
        static let revokedAt: StaticString = "revoked_at"
    }

    enum SessionField {
        static let id: StaticString = "_id"
        static let key: StaticString = "key"
        static let createdAt: StaticString = "created_at"
        static let expiresAt: StaticString = "expires_at"
        static let endedAt: StaticString = "ended_at"
    }

    enum AccountField {
        static let id: StaticString = "_id"
        static let username: StaticString = "username"
        static let usernameKey: StaticString = "username_key"
        static let email: StaticString = "email"
        static let emailKey: StaticString = "email_key"
        static let password: StaticString = "password"
        static let passwordChangedAt: StaticString = "password_changed_at"
        static let createdAt: StaticString = "created_at"
        static let confirmedAt: StaticString = "confirmed_at"
        static let confirmations: StaticString = "confirmations"
        static let resets: StaticString = "resets"
        static let addressChange: StaticString = "address_change"
        static let formerAddresses: StaticString = "former_addresses"
        static let expiresAt: StaticString = "expires_at"
        static let suspendedAt: StaticString = "suspended_at"
        static let deletion: StaticString = "deletion"
        // Of a deletion.
        static let request: StaticString = "request"
        static let askedAt: StaticString = "asked_at"
        static let decidedAt: StaticString = "decided_at"
        static let quietHours: StaticString = "quiet_hours"
        static let from: StaticString = "from"
        static let to: StaticString = "to"
        static let zone: StaticString = "zone"
        static let failures: StaticString = "failures"
        static let nextTryAt: StaticString = "next_try_at"
        static let places: StaticString = "places"
        static let tries: StaticString = "tries"
        // Of a place.
        static let place: StaticString = "place"
        static let knownAt: StaticString = "known_at"
        static let triedAt: StaticString = "tried_at"
        // Of a mail's token.
        static let digest: StaticString = "digest"
        static let sentAt: StaticString = "sent_at"
        // As filters name them.
        static let deletionID: StaticString = "deletion._id"
        static let deletionRequest: StaticString = "deletion.request"
        static let deletionAskedAt: StaticString = "deletion.asked_at"
        static let deletionDecidedAt: StaticString = "deletion.decided_at"
        static let firstConfirmationSentAt: StaticString = "confirmations.0.sent_at"
        static let thirdConfirmation: StaticString = "confirmations.2"
        static let firstResetSentAt: StaticString = "resets.0.sent_at"
        static let thirdReset: StaticString = "resets.2"
        static let addressChangeSentAt: StaticString = "address_change.sent_at"
        static let addressChangeDigest: StaticString = "address_change.digest"
    }

    enum LoginField {
        static let id: StaticString = "_id"
        static let account: StaticString = "account"
        static let digest: StaticString = "digest"
        static let passwordChangedAt: StaticString = "password_changed_at"
        static let createdAt: StaticString = "created_at"
        static let name: StaticString = "name"
        static let number: StaticString = "number"
        static let renewedAt: StaticString = "renewed_at"
        static let endedAt: StaticString = "ended_at"
        static let expiresAt: StaticString = "expires_at"
    }

    enum SecretField {
        static let id: StaticString = "_id"
        static let key: StaticString = "key"
        static let createdAt: StaticString = "created_at"
    }

    enum AuditField {
        static let id: StaticString = "_id"
        static let at: StaticString = "at"
        static let action: StaticString = "action"
        static let key: StaticString = "key"
        static let keyName: StaticString = "key_name"
        static let token: StaticString = "token"
        static let account: StaticString = "account"
        static let service: StaticString = "service"
        static let role: StaticString = "role"
        static let subject: StaticString = "subject"
        static let how: StaticString = "how"
        static let request: StaticString = "request"
        static let address: StaticString = "address"
    }
}
