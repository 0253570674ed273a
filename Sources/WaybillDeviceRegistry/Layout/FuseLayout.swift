/// The collection `fuses`: one document for each lane and app whose fuse has ever blown.
///
/// | field | type | meaning |
/// |---|---|---|
/// | `lane`, `app` | string | whose events |
/// | `state` | string | `blown`, `released` or `discarded`; after the last two it is armed again |
/// | `cause` | document | when and why it has blown |
/// | `decided` | document | who has decided, when and why; absent while it is blown |
/// | `past` | array | earlier causes with their decisions, the newest at the end |
enum Fuses {
    static let collection = "fuses"

    enum Field {
        static let id: StaticString = "_id"
        static let lane: StaticString = "lane"
        static let app: StaticString = "app"
        static let state: StaticString = "state"
        static let cause: StaticString = "cause"
        static let decided: StaticString = "decided"
        static let past: StaticString = "past"
        static let blownAt: StaticString = "cause.at"
        static let beginning: StaticString = "cause.since"
        static let decidedAt: StaticString = "decided.at"
    }

    enum CauseField {
        static let at: StaticString = "at"
        static let since: StaticString = "since"
        static let answers: StaticString = "answers"
        static let invalid: StaticString = "invalid"
        static let limit: StaticString = "limit"
        static let usual: StaticString = "usual"
        static let reason: StaticString = "reason"
        static let words: StaticString = "words"
        static let whole: StaticString = "whole"
    }

    enum DecisionField {
        static let name: StaticString = "by"
        static let date: StaticString = "at"
        static let note: StaticString = "note"
        static let until: StaticString = "until"
    }
}

/// The fields of the collection `token_events`; what they mean says ``TokenEvents``.
enum TokenEventLayout {
    static let collection = "token_events"

    enum Field {
        static let id: StaticString = "_id"
        static let lane: StaticString = "lane"
        static let app: StaticString = "app"
        static let state: StaticString = "state"
        static let at: StaticString = "at"
        static let event: StaticString = "event"
        static let known: StaticString = "known"
        static let expiresAt: StaticString = "expires_at"
    }
}
