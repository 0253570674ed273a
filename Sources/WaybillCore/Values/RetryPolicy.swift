/// How long and how often a notification that the provider could not take for the moment is tried again.
package struct RetryPolicy: Hashable, Sendable {
    /// How long the delay queues hold messages, in ascending order; never empty.
    package let steps: [DelayStep]
    /// Passes that sent a notification, and that were not refused for a fault of the lane.
    package let maxAttempts: Int
    /// How long what was sent in vain is tried again, since a dispatcher first saw the message.
    package let maxAge: Duration

    /// Creates a policy; the steps are put in order.
    ///
    /// - Precondition: there is a step, and at least one attempt.
    package init(
        steps: [DelayStep] = Self.defaultSteps,
        maxAttempts: Int = 8,
        maxAge: Duration = .seconds(24 * 3600)
    ) {
        precondition(!steps.isEmpty && maxAttempts >= 1, "a policy without a step or an attempt")
        self.steps = Array(Set(steps)).sorted()
        self.maxAttempts = maxAttempts
        self.maxAge = maxAge
    }

    /// 5 s, 10 s, 30 s, 2 min, 15 min, 1 h.
    package static let defaultSteps = [5, 10, 30, 120, 900, 3600].map(DelayStep.init(seconds:))

    /// The shortest step that lasts for a time in milliseconds, any number; the longest step where none does.
    package func step(covering milliseconds: Int64) -> Int {
        steps.firstIndex { $0.milliseconds >= milliseconds } ?? steps.count - 1
    }
}
