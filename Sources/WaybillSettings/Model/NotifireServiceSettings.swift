package import WaybillCore

/// What the thesis does not say of services: whose phones they reach, and how.
package struct NotifireServiceSettings: Hashable, Sendable {
    /// The bundle id of the app whose tokens phones register.
    package var app: String
    /// Where these tokens are from.
    package var environment: Environment
    /// The lane of the app: its notifications go there.
    package var lane: String
    /// How the app's Android phones are reached; `nil`: they are not.
    package var fcm: FCM?
    /// Whose notifications these are, in the delivery log and in the registry.
    package var client: String
    /// Notifications that a service may send at once, and then each minute.
    package var burst: Int
    package var perMinute: Int
    /// Notifications that a service, and all services of one account together, may send in a day.
    package var perDay: Int
    /// Phones on which one account may be logged in.
    package var devices: Int
    /// How long what services have said is kept.
    package var keep: Duration
    /// The thesis' own queue, out of which its messages are taken; `nil`: none.
    package var readQueue: String?
    /// The queue of the thesis' own sender, which gets what `/notify` takes instead of Waybill's dispatchers; `nil`: these do.
    package var writeQueue: String?
    /// Whether a person's other phones get a silent push when something was read.
    package var tellsRead: Bool

    package init(
        app: String,
        environment: Environment = .production,
        lane: String,
        fcm: FCM? = nil,
        client: String = "notifire",
        burst: Int = 60,
        perMinute: Int = 60,
        perDay: Int = 10_000,
        devices: Int = 20,
        keep: Duration = .seconds(30 * 86_400),
        readQueue: String? = nil,
        writeQueue: String? = nil,
        tellsRead: Bool = true
    ) {
        self.app = app
        self.environment = environment
        self.lane = lane
        self.fcm = fcm
        self.client = client
        self.burst = burst
        self.perMinute = perMinute
        self.perDay = perDay
        self.devices = devices
        self.keep = keep
        self.readQueue = readQueue
        self.writeQueue = writeQueue
        self.tellsRead = tellsRead
    }
}

extension NotifireServiceSettings {
    /// How the app's Android phones are reached.
    package struct FCM: Hashable, Sendable {
        /// The Firebase project: the app of their tokens in the registry.
        package var project: String
        /// The lane of the project.
        package var lane: String
        /// Where what test keys say goes; `nil`: nowhere.
        package var testLane: String?

        package init(project: String, lane: String, testLane: String? = nil) {
            self.project = project
            self.lane = lane
            self.testLane = testLane
        }
    }

    /// The apps whose phones are reached, as the registry names them.
    package var apps: [String] { [app] + (fcm.map { [$0.project] } ?? []) }
}
