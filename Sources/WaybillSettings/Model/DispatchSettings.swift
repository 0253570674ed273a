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
    /// How long statistics are kept by the minute, beside the sums of their hours.
    package var statisticsMinutes: Duration
    /// How long they are kept by the hour, beside the sums of their days; no shorter than the minutes.
    package var statisticsHours: Duration

    package init(
        graceTime: Duration = .seconds(25),
        requestTimeout: Duration = .seconds(30),
        unreachable: Duration = .seconds(30),
        statisticsInterval: Duration = .seconds(5),
        statisticsMinutes: Duration = .seconds(7 * 86_400),
        statisticsHours: Duration = .seconds(90 * 86_400)
    ) {
        self.graceTime = graceTime
        self.requestTimeout = requestTimeout
        self.unreachable = unreachable
        self.statisticsInterval = statisticsInterval
        self.statisticsMinutes = statisticsMinutes
        self.statisticsHours = statisticsHours
    }
}
