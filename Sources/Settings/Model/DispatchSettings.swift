/// The dispatcher's own times.
package struct DispatchSettings: Hashable, Sendable {
    /// How long a stopping dispatcher waits for what is in flight; below the service manager's own patience.
    package var graceTime: Duration
    /// How long APNs may take for one answer.
    package var requestTimeout: Duration

    package init(graceTime: Duration = .seconds(25), requestTimeout: Duration = .seconds(30)) {
        self.graceTime = graceTime
        self.requestTimeout = requestTimeout
    }
}
