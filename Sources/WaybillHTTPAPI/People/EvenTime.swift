import WaybillThreads

/// Answers that must not tell by their time whether there is an account.
struct EvenTime {
    /// What has been done takes less, unless much waits.
    static let customary = Duration.milliseconds(250)

    /// Positive.
    var step = Self.customary

    /// Waits until a whole number of steps have passed since the request began.
    func pass(_ context: APIContext) async throws {
        let spent = MonotonicTime.now().duration(since: context.began)
        let steps = Int((spent / step).rounded(.up))
        let rest = step * max(1, steps) - spent
        if rest > .zero { try await Task.sleep(for: rest) }
    }
}
