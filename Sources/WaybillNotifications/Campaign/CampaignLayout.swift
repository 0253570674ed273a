package import WaybillMongo

/// The collection `campaigns`.
///
/// | field | type | meaning |
/// |---|---|---|
/// | `_id` | string | `CLIENT/NAME`, so that names are a client's own; of those of earlier releases the name alone |
/// | `name` | string | its name; absent in those of earlier releases. Those of its notifications are `NAME.` and a number |
/// | `state` | string | `draft`, `starting`, `started` or `cancelled` |
/// | `content` | document | the fields of its notifications |
/// | `at`, `local_at` | date, string | when it begins; neither: when it is started |
/// | `zone` | string | of devices whose time zone nobody knows |
/// | `passed` | string | `skip` or `now`: devices whose time has passed |
/// | `quiet` | string | hours of the phone's own clock, such as `22:00-08:00` |
/// | `parts` | array | from the start on: `at`, `zones`, `other_than`, `devices`, `skipped` |
/// | `numbers_after` | number | from the start on: the part at 0 in `parts` has the number after it; absent for 0 |
/// | `held`, `held_by`, `held_at` | bool, string, date | true: it is paused; by whom and since when |
/// | `cancelled_by`, `cancelled_at` | string, date | |
/// | `mark` | string | what its notifications say of themselves, in `x-campaign` |
/// | `created_at`, `created_by`, `started_at` | dates, string | |
enum CampaignLayout {
    static let collection = "campaigns"

    enum Field {
        static let id: StaticString = "_id"
        static let name: StaticString = "name"
        static let state: StaticString = "state"
        static let content: StaticString = "content"
        static let at: StaticString = "at"
        static let localAt: StaticString = "local_at"
        static let zone: StaticString = "zone"
        static let passed: StaticString = "passed"
        static let quiet: StaticString = "quiet"
        static let parts: StaticString = "parts"
        static let numbersAfter: StaticString = "numbers_after"
        static let held: StaticString = "held"
        static let heldBy: StaticString = "held_by"
        static let heldAt: StaticString = "held_at"
        static let cancelledBy: StaticString = "cancelled_by"
        static let cancelledAt: StaticString = "cancelled_at"
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

    static let indexes = [
        MongoIndex(name: "created_at", keys: [.descending("\(Field.createdAt)")]),
        MongoIndex(name: "name", keys: [.ascending("\(Field.name)")]),
    ]
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
