import HTTPTypes
import WaybillAccounts
import WaybillDeliveryLog
import WaybillSettings

/// What the routes for notifications, events and devices have in common.
struct NoticeParts: Sendable {
    let door: FrontDoor
    /// `nil`: the configuration says nothing of services, and so of no app.
    let services: NotifireServiceSettings?
    /// As `nil` as ``services``.
    let sender: NotificationSender?
    let log: DeliveryLogOptions
    let events: AccountEventFeed?
    let places: StreamPlaces
    let cursors: CursorSeal
    let keys: ServiceKeyAccess
    let people: PersonAccess
    let waiting: WaitingConnections

    init(
        door: FrontDoor,
        services: NotifireServiceSettings?,
        sender: NotificationSender?,
        log: DeliveryLogOptions,
        events: AccountEventFeed?,
        places: StreamPlaces,
        cursors: CursorSeal,
        waiting: WaitingConnections
    ) {
        self.door = door
        self.services = services
        self.sender = sender
        self.log = log
        self.events = events
        self.places = places
        self.cursors = cursors
        self.waiting = waiting
        keys = ServiceKeyAccess(door: door)
        people = PersonAccess(door: door)
    }

    /// What the configuration says of services.
    ///
    /// - Throws: ``Problem`` 503 where it says nothing.
    func requireServices() throws(Problem) -> NotifireServiceSettings {
        guard let services else { throw Self.notConfigured }
        return services
    }

    static let notConfigured = Problem(
        .serviceUnavailable,
        "this server sends no notifications of services: its configuration has no serve.notifire.services"
    )
}

/// Who reads notifications.
enum NoticeReader: Sendable {
    case person(Person)
    case key(ServiceGrant)

    /// Of whom: the account's id, or the key's.
    var party: String {
        switch self {
        case .person(let person): person.account.id
        case .key(let grant): grant.keyID
        }
    }
}
