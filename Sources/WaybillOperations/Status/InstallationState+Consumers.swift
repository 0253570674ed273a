package import WaybillFleet

extension InstallationState {
    /// The queues that dispatchers read; `nil` where the broker does not answer.
    package var consumed: [FleetHealth.Queue]? {
        if case .success(let broker) = broker { broker.consumed } else { nil }
    }

    /// Whether a process has ended, also without a word, as far as all that is known here tells.
    package func isPast(_ lease: Lease) -> Bool {
        FleetHealth.isPast(lease, among: leases, queues: consumed, now: now)
    }

    /// How many consumers a queue can have by what dispatchers say: one of each that reads it and takes messages.
    ///
    /// RabbitMQ's own count may be higher: of a quorum queue it has a consumer that has ended until the messages that it was
    /// handed are acknowledged.
    ///
    /// - Parameter queue: its name.
    /// - Returns: `nil` where the store, which has what they say, does not answer, or where one has been silent for so short a
    ///   time that the broker may not know.
    package func mostConsumers(of queue: String) -> Int? {
        guard case .success = store else { return nil }
        let dispatchers = leases.filter { $0.role == "dispatch" }
        let isInDoubt = dispatchers.contains {
            !$0.isEnded && FleetHealth.isSilent($0, now: now) && now - $0.seen < FleetHealth.heartbeats
        }
        guard !isInDoubt else { return nil }
        return dispatchers.filter { FleetHealth.isPresent($0, now: now) }.map { ProcessReport($0) }
            .count { !$0.isStopping && $0.queues?.contains(queue) ?? true }
    }
}
