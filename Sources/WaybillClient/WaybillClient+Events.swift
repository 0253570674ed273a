import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension WaybillClient {
    /// Longer than the server is ever silent.
    private static let silence: TimeInterval = 45
    private static let pause: ClosedRange<Double> = 3...8

    /// What changes for this account, as it happens, until it is no longer read.
    ///
    /// A connection that ends is opened again, and goes on where it was; the access token is renewed where that is due. An account has
    /// few streams at once: listen while the app is in front.
    ///
    /// - Parameter id: of the last event of an earlier stream: what has happened since comes first, or `reset`; `nil`: from now on.
    /// - Returns: the events. It throws ``WaybillError``: `notLoggedIn` when the session has ended, `problem` for what no second try
    ///   helps against.
    public nonisolated func events(after id: String? = nil) -> AsyncThrowingStream<WaybillEvent, any Error> {
        AsyncThrowingStream { continuation in
            let task = Task {
                var last = id
                do {
                    while !Task.isCancelled {
                        var wait = Double.random(in: Self.pause)
                        do {
                            try await listen(after: last) { event in
                                last = event.id ?? last
                                continuation.yield(event)
                            }
                        } catch WaybillError.problem(let status, _, let retryAfter) where status == 429 || status >= 500
                        {
                            wait += Double(retryAfter ?? 0)
                        } catch is URLError {
                            // The network was away, or the server.
                        }
                        try await Task.sleep(for: .seconds(wait))
                    }
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: error)
                }
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    /// Reads one stream to its end.
    private nonisolated func listen(after id: String?, _ hear: (WaybillEvent) -> Void) async throws {
        let token = try await fresh(beyond: nil).accessToken
        do {
            try await read(try transport.stream("/v1/events", after: id, token: token, silence: Self.silence), hear)
        } catch WaybillError.problem(status: 401, _, _) {
            let next = try await fresh(beyond: token).accessToken
            try await read(try transport.stream("/v1/events", after: id, token: next, silence: Self.silence), hear)
        }
    }

    private nonisolated func read(_ connection: EventConnection, _ hear: (WaybillEvent) -> Void) async throws {
        var lines = EventLines()
        var refusal: (status: Int, retryAfter: Int?)?
        var words = Data()
        for try await part in connection.parts {
            switch part {
            case .head(let status, let retryAfter): if status != 200 { refusal = (status, retryAfter) }
            case .body(let data):
                if refusal == nil { lines.take(data).forEach(hear) } else { words += data }
            }
        }
        if let refusal {
            throw WaybillError.problem(
                status: refusal.status,
                detail: Transport.detail(words),
                retryAfter: refusal.retryAfter
            )
        }
    }
}
