import WaybillAPNS
package import WaybillCore

/// Who chose the topic of a push.
///
/// A topic is the lane's own only when it is the bundle id, for a push type that has that topic. Every other one comes
/// from what a producer chose, the topic or the push type, and a lane that serves its own topic may well have no leave for
/// the others: a certificate for alerts has none for VoIP. A key has leave for all that the lane derives.
package enum TopicOrigin: Sendable {
    /// The lane: it is its bundle id.
    case own
    /// The lane, from the push type that the producer chose.
    case derived
    /// The producer.
    case foreign
}

extension APNSLane {
    /// The topic of a push that names none: the bundle id with the push type's suffix.
    func topic(for pushType: APNSPushType) -> String {
        pushType.topic(for: bundleID)
    }

    /// Who chose the topic of a notification of this lane.
    package func topicOrigin(of notification: Notification) -> TopicOrigin {
        guard let topic = notification.topic,
            topic == self.topic(for: APNSPushType(rawValue: notification.kind ?? ""))
        else { return .foreign }
        return topic == bundleID ? .own : .derived
    }
}
