/// The collections of this module and their fields.
///
/// `outbox_mail`: one document for each mail, until some time after it has gone.
///
/// | field | type | meaning |
/// |---|---|---|
/// | `_id` | string | the mail's own id, by which a repeat is known |
/// | `to` | string | the address |
/// | `subject` | string | |
/// | `text` | string | the text; absent once the mail has gone or was given up: it holds links |
/// | `html` | string | the same for programs that show HTML; absent as `text` is |
/// | `state` | string | `waiting`, `sent` or `failed` |
/// | `created_at` | date | |
/// | `due` | date | when somebody should send it, or look whether who has it is still there; absent: never again |
/// | `not_after` | date | when it expires, such as the end of its link; absent: never |
/// | `attempts` | int | how often somebody has begun to send it |
/// | `lease` | string | who has it at the moment; absent: nobody |
/// | `error` | string | why the last attempt failed; neither an address nor content |
/// | `done_at` | date | when it went, or was given up |
/// | `expires_at` | date | when the TTL index erases it; absent before it is done |
enum Outbox {
    static let mail = "outbox_mail"

    enum MailField {
        static let id: StaticString = "_id"
        static let recipient: StaticString = "to"
        static let subject: StaticString = "subject"
        static let text: StaticString = "text"
        static let html: StaticString = "html"
        static let state: StaticString = "state"
        static let createdAt: StaticString = "created_at"
        static let due: StaticString = "due"
        static let notAfter: StaticString = "not_after"
        static let attempts: StaticString = "attempts"
        static let lease: StaticString = "lease"
        static let error: StaticString = "error"
        static let doneAt: StaticString = "done_at"
        static let expiresAt: StaticString = "expires_at"
    }
}
