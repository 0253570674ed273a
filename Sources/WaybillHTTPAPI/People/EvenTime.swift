import WaybillThreads

/// Answers that must not tell by their time whether there is an account.
enum EvenTime {
    /// What has been done takes less, unless much waits.
    static let step = Duration.milliseconds(250)

    /// Waits until a whole number of steps have passed since the request began.
    static func pass(_ context: APIContext) async throws {
        let spent = MonotonicTime.now().duration(since: context.began)
        let steps = Int((spent / step).rounded(.up))
        let rest = step * max(1, steps) - spent
        if rest > .zero { try await Task.sleep(for: rest) }
    }
}
