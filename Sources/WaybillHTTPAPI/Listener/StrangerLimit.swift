import HTTPTypes
import WaybillThreads

/// Who asks without a good key keeps a connection no longer than others can spare it.
///
/// A stranger's answer ends the connection where more than a half of all are open, or where those of the address ask too often.
/// So connections that ask for nothing in particular, again and again, keep nobody out who has a key.
final class StrangerLimit: Sendable {
    private let waiting: WaitingConnections
    private let buckets = Guarded(TokenBuckets())
    /// Refusals alone: a page and its files, which anybody may have, are no reason to let somebody wait who has no key yet.
    private let refusals = Guarded(TokenBuckets())

    init(_ waiting: WaitingConnections) {
        self.waiting = waiting
    }

    /// What a stranger is told instead of 401: 429 where a neighbourhood asks too often without a good key.
    ///
    /// It costs nobody else anything: what comes with a good key, or gets one, is never counted.
    ///
    /// - Parameters:
    ///   - problem: why nobody was let in.
    ///   - context: the request's.
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
