/// What happens to valid requests whose device token, or whose path, begins with a prefix.
///
/// A request that fails the validation gets its documented reason; rules are asked only after that.
package struct SimulatorRule: Hashable, Sendable {
    /// How the device token begins, lower-case hexadecimal; empty matches every token.
    ///
    /// With a slash in front it is the beginning of the path of a request about channels, which knows no device token:
    /// `/4/broadcasts/apps/` or `/1/apps/`. The longest prefix wins; rules with the same prefix are asked in their order.
    /// With an equals sign in front it is the beginning of a target of FCM's, whose case counts (``registrationKey(_:)``).
    package var tokenPrefix: String
    /// How many requests of each device token, or path, the rule takes; `nil` for all.
    ///
    /// Afterwards the next rule of the same prefix is asked, and after the last one the normal answer is given.
    package var times: Int?
    /// How likely the rule is to act on a request that it matches, above 0 and at most 1.
    package var probability: Double
    /// How many requests of each device token the rule lets pass within a minute before it acts; `nil` for none.
    ///
    /// Only those that passed are counted, so that a sender which waits is served again.
    package var perMinute: Int?
    /// How long the answer, or what stands in its place, waits.
    package var delay: Duration
    /// The most that is added to ``delay``, drawn anew for each request.
    package var jitter: Duration = .zero
    /// Whether the rule acts on the headers alone, without waiting for the body, which is not validated then.
    package var isEarly = false
    /// The stream limit that the connection announces from here on.
    package var maxConcurrentStreams: Int?
    /// The answer; 200 when nothing else is said.
    ///
    /// Not used by faults that leave the request unanswered.
    package var answer: SimulatorAnswer
    /// What goes wrong.
    package var fault: SimulatorFault?
    /// Whether FCM hands the message to the phone in spite of the answer, as has been seen.
    package var delivers = false

    package init(
        tokenPrefix: String,
        answer: SimulatorAnswer = .accepted,
        fault: SimulatorFault? = nil,
        delay: Duration = .zero,
        maxConcurrentStreams: Int? = nil,
        times: Int? = nil,
        probability: Double = 1,
        perMinute: Int? = nil
    ) {
        self.tokenPrefix = tokenPrefix.lowercased()
        self.answer = answer
        self.fault = fault
        self.delay = delay
        self.maxConcurrentStreams = maxConcurrentStreams
        self.times = times
        self.probability = probability
        self.perMinute = perMinute
    }
}

extension SimulatorRule {
    /// A rule for messages to FCM.
    ///
    /// - Parameters:
    ///   - registrationPrefix: how the registration token, the installation id or the condition begins, or `/topics/` and
    ///     the name of a topic; empty matches every target.
    ///   - answer: the answer.
    ///   - fault: what goes wrong.
    ///   - delay: how long the answer waits.
    ///   - times: how many messages to each target the rule takes; `nil` for all.
    package init(
        registrationPrefix: String,
        answer: SimulatorAnswer = .accepted,
        fault: SimulatorFault? = nil,
        delay: Duration = .zero,
        times: Int? = nil
    ) {
        self.init(tokenPrefix: "", answer: answer, fault: fault, delay: delay, times: times)
        tokenPrefix = Self.registrationKey(registrationPrefix)
    }

    /// The ``tokenPrefix`` for a target of FCM's.
    static func registrationKey(_ target: String) -> String { "=" + target }
}
