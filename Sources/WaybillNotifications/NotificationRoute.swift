import WaybillAccounts
package import WaybillCore

/// Where an installation's front door sends what services say.
package struct NotificationRoute: Hashable, Sendable {
    /// Whose notifications these are, in the delivery log.
    package var client: String
    /// The app's bundle id, and where its tokens are from.
    package var app: String
    package var environment: Environment
    package var lane: String
    /// Where what test keys say goes; `nil`: they can say nothing.
    package var testLane: String?
    /// How the app's Android phones are reached; `nil`: they are not.
    package var fcm: FCM?
    /// The queue of the thesis' own sender, which gets what `/notify` takes; `nil`: the dispatchers do.
    package var writeQueue: String?
    /// Where this installation is reached from outside, for the images of services; `nil`: pushes have none.
    package var baseURL: String?

    package init(
        client: String,
        app: String,
        environment: Environment,
        lane: String,
        testLane: String? = nil,
        fcm: FCM? = nil,
        writeQueue: String? = nil,
        baseURL: String? = nil
    ) {
        self.client = client
        self.app = app
        self.environment = environment
        self.lane = lane
        self.testLane = testLane
        self.fcm = fcm
        self.writeQueue = writeQueue
        self.baseURL = baseURL
    }

    /// How the app's Android phones are reached.
    package struct FCM: Hashable, Sendable {
        /// The app of their tokens in the registry.
        package var project: String
        package var lane: String
        /// Where what test keys say goes; `nil`: nowhere.
        package var testLane: String?

        package init(project: String, lane: String, testLane: String? = nil) {
            self.project = project
            self.lane = lane
            self.testLane = testLane
        }
    }

    /// The URL of a service's image; `nil` where it has none.
    func image(of service: ServiceDetails) -> String? {
        guard let baseURL, let image = service.image else { return nil }
        return baseURL + image.path(of: service.id)
    }

    /// By which lanes all goes that our own API takes with live keys.
    var lanes: NotificationLanes { NotificationLanes(apns: lane, fcm: fcm?.lane) }

    /// By which lanes it goes that test keys say; `nil`: it is not sent.
    var testLanes: NotificationLanes? { testLane.map { NotificationLanes(apns: $0, fcm: fcm?.testLane) } }

    /// By which lanes what the thesis' API takes goes, which knows Apple's phones alone.
    var lanesOfTheThesis: NotificationLanes { NotificationLanes(apns: lane) }
}

/// By which lanes a notification goes.
struct NotificationLanes: Hashable, Sendable {
    var apns: String
    /// `nil`: to no Android phone.
    var fcm: String?
}
