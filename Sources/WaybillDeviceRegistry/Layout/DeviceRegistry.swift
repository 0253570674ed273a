/// The `devices` collection: one document per token of an app in an environment, `schemas/device.schema.json`.
///
/// | field | type | written by | meaning |
/// |---|---|---|---|
/// | `provider` | string | both | `apns` or `fcm` |
/// | `app` | string | both | the bundle id, without a topic's suffix; the project at FCM |
/// | `environment` | string | both | `production` or `sandbox`; absent at FCM |
/// | `token` | string | both | lower-case hexadecimal at APNs; as it is at FCM |
/// | `kind` | string | both | `token`, or `installation`: FCM's installation id |
/// | `device` | string | registration | the app's own installation id |
/// | `user` | string | registration | whose pushes it gets |
/// | `tags` | array of strings | registration | sorted, each once |
/// | `locale` | string | registration | BCP 47, in its canonical form |
/// | `time_zone` | string | registration | IANA's name, no alias |
/// | `app_version` | string | registration | begins with a number, after `v` and blanks |
/// | `client` | string | both | whose device it is; absent if the batch named nobody |
/// | `registered_at` | date | registration | when the app has registered it; absent in a tombstone, or if nobody knows |
/// | `seen_at` | date | registration | when the app has told the same token last, to the hour |
/// | `enabled` | bool | both | **whether it may be pushed to** |
/// | `disabled_at` | date | both | since when it is not |
/// | `disabled_reason` | string | both | the provider's word, or `operator`, `logged_out`, `replaced` |
/// | `invalid_since` | date | pruning | since when the provider has known the token to be dead |
/// | `suspected_at` | date | pruning | when a refusal was observed that may be a mistake of ours |
/// | `suspected_reason` | string | pruning | the provider's word |
/// | `history` | array | both | the last events, the newest at the end |
///
/// Whoever registers a device sets `registered_at` and `enabled` and unsets the fields of pruning, in one update. Pruning sets
/// its own fields, `enabled`, and `client` of a new document, and never erases anything.
///
/// A tombstone that was taken back has none of these fields: what it said, but for its token, is in `taken_back`.
///
/// Until release 0.2 a document had `device_token` and `topic` in place of `token`, `provider` and `app`, and no `enabled`.
enum DeviceRegistry {
    static let collection = "devices"
    static let links = "device_links"

    enum Field {
        static let provider: StaticString = "provider"
        static let app: StaticString = "app"
        static let environment: StaticString = "environment"
        static let token: StaticString = "token"
        static let kind: StaticString = "kind"
        static let device: StaticString = "device"
        static let user: StaticString = "user"
        static let tags: StaticString = "tags"
        static let locale: StaticString = "locale"
        static let timeZone: StaticString = "time_zone"
        static let appVersion: StaticString = "app_version"
        static let client: StaticString = "client"
        static let registeredAt: StaticString = "registered_at"
        static let seenAt: StaticString = "seen_at"
        static let enabled: StaticString = "enabled"
        static let disabledAt: StaticString = "disabled_at"
        static let disabledReason: StaticString = "disabled_reason"
        static let invalidSince: StaticString = "invalid_since"
        static let suspectedAt: StaticString = "suspected_at"
        static let suspectedReason: StaticString = "suspected_reason"
        static let history: StaticString = "history"
    }

    /// Of one event in a document's history.
    enum HistoryField {
        static let at: StaticString = "at"
        static let event: StaticString = "event"
        static let reason: StaticString = "reason"
        static let successor: StaticString = "successor"
    }

    /// Of a tombstone that was taken back.
    enum TakenBackField {
        /// What it said, by the names of ``Field``.
        static let takenBack: StaticString = "taken_back"
        static let at: StaticString = "taken_back.at"
    }

    /// Of ``DeviceLinks``.
    enum LinkField {
        static let app: StaticString = "app"
        static let device: StaticString = "device"
        static let user: StaticString = "user"
        static let enabled: StaticString = "enabled"
        static let since: StaticString = "since"
        static let login: StaticString = "login"
        static let token: StaticString = "token"
        static let tokenDocument: StaticString = "token_document"
        static let lifeEnded: StaticString = "life_ended"
    }

    /// Of documents of the earlier layout.
    enum EarlierField {
        static let deviceToken: StaticString = "device_token"
        static let topic: StaticString = "topic"
        /// What is left of a document whose token has another one: its own fields as they were.
        static let merged: StaticString = "merged"
    }
}
