/// What is going to happen with one request.
struct Decision {
    /// The answer; `nil` when the request is left without one.
    var answer: SimulatorAnswer?
    /// What goes wrong.
    var fault: SimulatorFault?
    /// How long to wait before anything happens.
    var delay: Duration
    /// The stream limit to announce together with it.
    var maxConcurrentStreams: Int?
    /// Whether the request showed a good provider token, or none was needed.
    var tokenWasGood: Bool
}
