/// The collection `audiences`: one document of each, from its message until some time after its end (`fanout.keep`).
///
/// | field | type | meaning |
/// |---|---|---|
/// | `_id` | string | `CLIENT/NAME`, so that names are a client's own; of those of former releases the `audience_id` alone |
/// | `name` | string | the `audience_id`; absent in those of former releases |
/// | `client` | string | whose it is |
/// | `digest` | string | of its message's body: a repeat has the same one |
/// | `body` | string | the message, until the end |
/// | `state` | string | `waiting`, `expanding`, `done`, `cancelled` or `failed` |
/// | `due` | date | when it begins |
/// | `cancel_key` | string | an order for a batch of this name ends it, too |
/// | `lease` | document | `by` and `until`: who expands it |
/// | `pages` | number | begun so far |
/// | `page` | document | the last of them, with the bodies of its messages, until it is known to be with the broker |
/// | `first_page`, `last_page` | dates | the times of the earliest and the latest page so far, which its messages have; absent in those of former releases |
/// | `after` | any | the `_id` of the last device that was read |
/// | `expanded`, `handed_over` | numbers | devices found; in messages that the broker has |
/// | `without_lane`, `without_content` | numbers | devices found for which there is no lane; for whose provider there is no content |
/// | `held` | bool | true: nothing more is handed over, and nobody expands it |
/// | `reason` | string | why it failed, or who cancelled it |
/// | `published_at` | date | when its message was published, by its own time |
/// | `undated` | bool | true: its message has no time of its own; without both fields, as in those of former releases, `created_at` counts |
/// | `created_at`, `finished_at`, `expires_at` | dates | |
///
/// A throttle that audiences share has a document, too, under a name that no audience can have: `next` is the date from which
/// on more may be handed over, and `expires_at` follows it.
///
/// The page in the document is the outbox: what is published stands here before, durable on a majority, and the next
/// page takes its place after the broker's confirm, in one update with the counts.
enum Audiences {
    static let collection = "audiences"

    enum Field {
        static let id: StaticString = "_id"
        static let name: StaticString = "name"
        static let client: StaticString = "client"
        static let digest: StaticString = "digest"
        static let body: StaticString = "body"
        static let state: StaticString = "state"
        static let due: StaticString = "due"
        static let cancelKey: StaticString = "cancel_key"
        static let lease: StaticString = "lease"
        static let pages: StaticString = "pages"
        static let page: StaticString = "page"
        static let firstPage: StaticString = "first_page"
        static let lastPage: StaticString = "last_page"
        static let after: StaticString = "after"
        static let expanded: StaticString = "expanded"
        static let handedOver: StaticString = "handed_over"
        static let withoutLane: StaticString = "without_lane"
        static let withoutContent: StaticString = "without_content"
        static let held: StaticString = "held"
        static let next: StaticString = "next"
        static let reason: StaticString = "reason"
        static let publishedAt: StaticString = "published_at"
        static let undated: StaticString = "undated"
        static let createdAt: StaticString = "created_at"
        static let finishedAt: StaticString = "finished_at"
        static let expiresAt: StaticString = "expires_at"
    }

    enum LeaseField {
        static let by: StaticString = "by"
        static let until: StaticString = "until"
    }

    enum PageField {
        static let time: StaticString = "time"
        static let isLast: StaticString = "last"
        static let messages: StaticString = "messages"
        static let count: StaticString = "count"
        static let isUrgent: StaticString = "urgent"
        static let body: StaticString = "body"
    }
}
