import WaybillMongo
import WaybillNotifications

/// What the schedule reads and writes with one client of the store.
struct ScheduleStores {
    let posted: PostedStore
    let services: PostedServices
    let said: NotificationStore
    let follower: ProgressFollower
    /// `nil`: no device can acknowledge anything.
    let repeater: Repeater?

    /// - Parameters:
    ///   - client: serves nobody else meanwhile.
    ///   - settings: where everything is.
    ///   - owner: of this process alone; in its name things are claimed.
    ///   - odd: told of what nobody can do anything about.
    ///   - report: told of what has failed.
    init(
        client: MongoClient,
        settings: ScheduleSettings,
        owner: String,
        odd: OddDocuments,
        report: ScheduleReport
    ) {
        let skipped = { odd.skipped("", reason: $0) }
        let refused: (RefusedDocument) -> Void = { one in
            guard one.ended != nil else { return odd.skipped(one.name, reason: one.refusal.refusal) }
            report.failed(one.name, reason: one.refusal.refusal)
        }
        posted = PostedStore(
            client: client,
            database: settings.database,
            owner: owner,
            skipped: skipped,
            refused: refused
        )
        services = PostedServices(client: client, database: settings.database, route: settings.services)
        said = NotificationStore(
            client: client,
            database: settings.database,
            owner: owner,
            skipped: skipped,
            refused: refused
        )
        follower = ProgressFollower(client: client, settings: settings)
        repeater =
            settings.repeatsUnacknowledged
            ? Repeater(client: client, settings: settings, owner: owner, skipped: odd.unreadable) : nil
    }
}
