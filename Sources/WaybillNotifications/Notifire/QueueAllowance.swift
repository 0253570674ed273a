/// Holds the services of the thesis' queue to what they may say.
///
/// What a service says comes as a message for each person, at one time: these count once, as `/notify` counts what they were
/// before. So does a message that comes again.
struct QueueAllowance {
    /// So many notifications are remembered, more than may be under way at a time.
    private static let mostRemembered = 4096

    private let admission: NotifireQueueReader.Admission
    private var admitted: Set<String> = []

    init(_ admission: @escaping NotifireQueueReader.Admission) {
        self.admission = admission
    }

    /// Counts a message, unless its notification is counted.
    ///
    /// - Parameters:
    ///   - message: as it was read.
    ///   - isRedelivered: whether the broker has handed it out before: then it was counted.
    ///   - owner: the account that the service belongs to.
    /// - Returns: how many seconds too early it is; `nil`: it is not.
    mutating func seconds(_ message: NotifireMessage, isRedelivered: Bool, owner: String) -> Int? {
        let name = "\(message.service) \(message.at) \(NotificationIntake.digest(of: message.content))"
        guard !isRedelivered, !admitted.contains(name) else { return nil }
        if let seconds = admission(message.service, owner) { return seconds }
        if admitted.count >= Self.mostRemembered { admitted.removeAll() }
        admitted.insert(name)
        return nil
    }
}
