package import WaybillAudience

/// What is known of a posted notification after the broker has it.
package struct PostedProgress: Hashable, Sendable {
    package enum State: String, CaseIterable, Sendable {
        /// It waits for its time.
        case scheduled
        /// Its devices are found and pushed to.
        case sending
        /// Everything of it has ended, and at least one push was accepted, or superseded by a newer accepted one.
        case sent
        /// Everything of it has ended, and no push was accepted or superseded.
        case failed
        case cancelled

        package var isFinal: Bool { self != .scheduled && self != .sending }
    }

    package var state: State
    /// Devices that were found.
    package var devices: Int
    /// Notifications that the dispatchers have.
    package var handedOver: Int
    /// Notifications that they may have besides: the broker has not confirmed them, or nobody has noted that yet.
    package var unconfirmed: Int
    /// Devices that nothing is sent to.
    package var leftOut: AudienceLeftOut
    /// How many notifications have which outcome; what waits has none.
    package var outcomes: [Outcome]
    package var reason: String?

    package struct Outcome: Hashable, Sendable {
        package var name: String
        package var count: Int

        package init(name: String, count: Int) {
            self.name = name
            self.count = count
        }
    }

    package init(
        state: State,
        devices: Int = 0,
        handedOver: Int = 0,
        unconfirmed: Int = 0,
        leftOut: AudienceLeftOut = AudienceLeftOut(),
        outcomes: [Outcome] = [],
        reason: String? = nil
    ) {
        self.state = state
        self.devices = devices
        self.handedOver = handedOver
        self.unconfirmed = unconfirmed
        self.leftOut = leftOut
        self.outcomes = outcomes
        self.reason = reason
    }
}
