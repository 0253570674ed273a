/// What an operator sets of a lane to FCM: a project, and the service account that sends.
package struct FCMLaneSettings: Hashable, Sendable {
    package var rules: FCMLane
    /// The JSON file with the service account's key, ready to open.
    package var serviceAccountFile: String
    /// The most messages in a second; `nil` for the lane's part of what Google gives a project.
    package var messagesPerSecond: Int?

    package init(rules: FCMLane, serviceAccountFile: String, messagesPerSecond: Int? = nil) {
        self.rules = rules
        self.serviceAccountFile = serviceAccountFile
        self.messagesPerSecond = messagesPerSecond
    }

    /// What the lanes of one project send together, where their operator sets nothing: below the 10,000 a second that Google
    /// gives a project, whoever sends (Google, "Throttling and quotas").
    package static let projectRate = 9000
}

extension LaneEndpoint {
    /// Where FCM listens.
    static let fcm: LaneEndpoint = {
        guard let endpoint = LaneEndpoint(host: "fcm.googleapis.com", port: 443) else {
            preconditionFailure("a name that is a host")
        }
        return endpoint
    }()
}
