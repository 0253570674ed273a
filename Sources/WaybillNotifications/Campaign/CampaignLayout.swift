package import WaybillMongo

/// The collection `campaigns`.
///
/// | field | type | meaning |
/// |---|---|---|
/// | `_id` | string | its name; those of its notifications are `NAME.1`, `NAME.2`, … |
/// | `state` | string | `draft`, `starting`, `started` or `cancelled` |
/// | `content` | document | the fields of its notifications |
/// | `at`, `local_at` | date, string | when it begins; neither: when it is started |
/// | `zone` | string | of devices whose time zone nobody knows |
/// | `passed` | string | `skip` or `now`: devices whose time has passed |
/// | `quiet` | string | hours of the phone's own clock, such as `22:00-08:00` |
/// | `parts` | array | from the start on: `at`, `zones`, `other_than`, `devices`, `skipped` |
/// | `held` | bool | true: it is paused |
/// | `mark` | string | what its notifications say of themselves, in `x-campaign` |
/// | `created_at`, `created_by`, `started_at` | dates, string | |
enum CampaignLayout {
    static let collection = "campaigns"

    enum Field {
        static let id: StaticString = "_id"
        static let state: StaticString = "state"
        static let content: StaticString = "content"
        static let at: StaticString = "at"
        static let localAt: StaticString = "local_at"
        static let zone: StaticString = "zone"
        static let passed: StaticString = "passed"
        static let quiet: StaticString = "quiet"
        static let parts: StaticString = "parts"
        static let held: StaticString = "held"
        static let mark: StaticString = "mark"
        static let createdAt: StaticString = "created_at"
        static let createdBy: StaticString = "created_by"
        static let startedAt: StaticString = "started_at"
    }

    enum PartField {
        static let at: StaticString = "at"
        static let zones: StaticString = "zones"
        static let otherThan: StaticString = "other_than"
        static let devices: StaticString = "devices"
        static let skipped: StaticString = "skipped"
    }

    static let indexes = [MongoIndex(name: "created_at", keys: [.descending("\(Field.createdAt)")])]
}

/// The indexes of the campaigns.
package enum CampaignIndexes {
    /// Creates what is missing; safe to repeat, nothing is dropped or changed.
    ///
    /// - Throws: ``WaybillMongo/MongoError/Code/indexConflict`` naming an index that exists with other settings.
    package static func ensure(client: MongoClient, database: String) throws(MongoError) -> [IndexChange] {
        try client.collection(database: database, name: CampaignLayout.collection)
            .ensureIndexes(CampaignLayout.indexes)
    }

    /// Indexes that are not there, or not complete yet, as `collection.index`.
    package static func missing(client: MongoClient, database: String) throws(MongoError) -> [String] {
        try client.collection(database: database, name: CampaignLayout.collection).missing(CampaignLayout.indexes)
    }
}
