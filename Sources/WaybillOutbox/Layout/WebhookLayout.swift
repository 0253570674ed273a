/// The collections of webhooks and their fields.
///
/// `webhook_endpoints`: where clients, and the people of services, want to hear what became of their notifications.
///
/// | field | type | meaning |
/// |---|---|---|
/// | `_id` | string | `we_` and 16 hexadecimal digits |
/// | `client` | string | whose events come; absent in one of a service |
/// | `service` | string | the service whose events come; absent in one of a client |
/// | `url` | string | where to |
/// | `events` | array of strings | the types that it wants; empty for all |
/// | `active` | bool | whether anything is sent |
/// | `active_since` | date | since when, by the store's clock |
/// | `reason` | string | why it is not active; absent while it is |
/// | `given_up` | bool | true where it was Waybill that has disabled it |
/// | `told_at` | date | when the people of its service were told that it is given up; absent: they were not |
/// | `created_at`, `created_by` | date, string | when, and who made it |
/// | `last_success` | date | when it took something last, give or take a minute; absent: never |
/// | `failing_since` | date | since when nothing has succeeded though something was tried; absent: all is well |
/// | `rest_until` | date | until when it wants to be left alone; absent: it does not say |
/// | `expires_at` | date | when the TTL index erases it: only of one that was removed |
///
/// `webhook_secrets`: what their events are signed with, apart from them so that who looks at endpoints sees no secret.
///
/// | field | type | meaning |
/// |---|---|---|
/// | `_id` | string | the endpoint's |
/// | `secrets` | array | the newest first: `key` (`whsec_…`), `until` (a date; absent: it stays) |
/// | `expires_at` | date | as above |
///
/// `webhook_deliveries`: each event, once for each endpoint that is to hear of it.
///
/// | field | type | meaning |
/// |---|---|---|
/// | `_id` | string | the event's id, `/`, the endpoint's |
/// | `endpoint`, `event`, `type` | string | the endpoint's id; the event's id, as it is sent; its type |
/// | `body` | string | the JSON text, the same at each attempt |
/// | `state` | string | `waiting`, `delivered` or `failed` |
/// | `created_at` | date | |
/// | `due` | date | when it is tried next; absent: not by itself |
/// | `attempts` | int | how many there were since it was put in, or back in |
/// | `log` | array | each attempt: `at` (date), `ms`, `status` or `error` |
/// | `answer` | string | the beginning of what the last refusal said |
/// | `expires_at` | date | when the TTL index erases it |
///
/// `webhook_progress`: who does what at the moment. `_id` is `log` (reading the log) or `sender`; `lease` and `until` name who and until
/// when without a word; of `log` there is `position` (how far it has read), and `sequences` (`client` or `service`, `last`).
enum Webhooks {
    static let endpoints = "webhook_endpoints"
    static let secrets = "webhook_secrets"
    static let deliveries = "webhook_deliveries"
    static let progress = "webhook_progress"

    enum EndpointField {
        static let id: StaticString = "_id"
        static let client: StaticString = "client"
        static let service: StaticString = "service"
        static let url: StaticString = "url"
        static let events: StaticString = "events"
        static let isActive: StaticString = "active"
        static let activeSince: StaticString = "active_since"
        static let reason: StaticString = "reason"
        static let isGivenUp: StaticString = "given_up"
        static let toldAt: StaticString = "told_at"
        static let createdAt: StaticString = "created_at"
        static let createdBy: StaticString = "created_by"
        static let lastSuccess: StaticString = "last_success"
        static let failingSince: StaticString = "failing_since"
        static let restUntil: StaticString = "rest_until"
        static let expiresAt: StaticString = "expires_at"
    }

    enum SecretField {
        static let id: StaticString = "_id"
        static let secrets: StaticString = "secrets"
        static let key: StaticString = "key"
        static let until: StaticString = "until"
        static let expiresAt: StaticString = "expires_at"
    }

    enum DeliveryField {
        static let id: StaticString = "_id"
        static let endpoint: StaticString = "endpoint"
        static let event: StaticString = "event"
        static let type: StaticString = "type"
        static let body: StaticString = "body"
        static let state: StaticString = "state"
        static let createdAt: StaticString = "created_at"
        static let due: StaticString = "due"
        static let attempts: StaticString = "attempts"
        static let log: StaticString = "log"
        static let at: StaticString = "at"
        static let milliseconds: StaticString = "ms"
        static let status: StaticString = "status"
        static let error: StaticString = "error"
        static let answer: StaticString = "answer"
        static let expiresAt: StaticString = "expires_at"
    }

    enum ProgressField {
        static let id: StaticString = "_id"
        static let lease: StaticString = "lease"
        static let until: StaticString = "until"
        static let position: StaticString = "position"
        static let sequences: StaticString = "sequences"
        static let client: StaticString = "client"
        static let service: StaticString = "service"
        static let last: StaticString = "last"
    }
}
