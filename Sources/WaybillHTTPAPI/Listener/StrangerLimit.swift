import HTTPTypes
import WaybillThreads

/// Who asks without a good key keeps a connection no longer than others can spare it.
///
/// A stranger's answer ends the connection where more than a half of all are open, or where those of the address ask too often.
/// So connections that ask for nothing in particular, again and again, keep nobody out who has a key.
final class StrangerLimit: Sendable {
    private let waiting: WaitingConnections
    private let buckets = Guarded(TokenBuckets())
    /// Of those who show no key alone: a page and its files, which anybody may have, are no reason to refuse somebody later.
    private let refusals = Guarded(TokenBuckets())

    init(_ waiting: WaitingConnections) {
        self.waiting = waiting
    }

    /// What somebody without a key is told instead of 401: 429 where a neighbourhood asks so too often.
    ///
    /// It costs nobody else anything: what comes with a key, good or not, never counts and never meets it.
    ///
    /// - Parameters:
    ///   - problem: why nobody was let in.
    ///   - context: the request's.
    /// - Returns: what is answered.
    func refusal(_ problem: Problem, _ context: APIContext) -> Problem {
        let allowance = refusals.withLock { $0.take(context.neighbourhood, now: .now()) }
        guard !allowance.isGranted else { return problem }
        // A page knows by it that nobody is logged in.
        let tooOften = Problem.tooOften(allowance)
        return problem.headers[.wwwAuthenticate].map { tooOften.with(.wwwAuthenticate, $0) } ?? tooOften
    }

    /// Counts an answer to a stranger.
    ///
    /// - Parameter context: the request's.
    /// - Returns: whether the connection ends with it.
    func endsConnection(_ context: APIContext) -> Bool {
        let isGranted = buckets.withLock { $0.take(context.neighbourhood, now: .now()).isGranted }
        return !isGranted || waiting.isCrowded
    }
}
