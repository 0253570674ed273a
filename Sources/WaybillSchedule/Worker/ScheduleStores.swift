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
    init(client: MongoClient, settings: ScheduleSettings, owner: String) {
        posted = PostedStore(client: client, database: settings.database, owner: owner)
        services = PostedServices(client: client, database: settings.database, route: settings.services)
        said = NotificationStore(client: client, database: settings.database, owner: owner)
        follower = ProgressFollower(client: client, settings: settings)
        repeater = settings.repeatsUnacknowledged ? Repeater(client: client, settings: settings, owner: owner) : nil
    }
}
