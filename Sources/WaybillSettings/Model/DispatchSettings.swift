/// The dispatcher's own times.
package struct DispatchSettings: Hashable, Sendable {
    /// How long a stopping dispatcher waits for what is in flight; below the service manager's own patience.
    package var graceTime: Duration
    /// How long a provider may take for one answer.
    package var requestTimeout: Duration
    /// How long notifications wait in the process while a provider cannot be reached, before their lane is parked.
    package var unreachable: Duration
    /// How often statistics are written; what is in doubt after a crash is found in multiples of it.
    package var statisticsInterval: Duration

    package init(
        graceTime: Duration = .seconds(25),
        requestTimeout: Duration = .seconds(30),
        unreachable: Duration = .seconds(30),
        statisticsInterval: Duration = .seconds(5)
    ) {
        self.graceTime = graceTime
        self.requestTimeout = requestTimeout
        self.unreachable = unreachable
        self.statisticsInterval = statisticsInterval
    }
}
