import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// One answer that goes on and on, part by part; `URLSession` has nothing better for that on every platform.
final class EventConnection: NSObject, URLSessionDataDelegate, Sendable {
    enum Part: Sendable {
        case head(status: Int, retryAfter: Int?)
        case body(Data)
    }

    /// Ends with the answer, with what `URLSession` says where that has broken.
    let parts: AsyncThrowingStream<Part, any Error>
    private let part: AsyncThrowingStream<Part, any Error>.Continuation

    private override init() {
        (parts, part) = AsyncThrowingStream.makeStream()
    }

    /// Asks; the connection ends with whoever reads its parts.
    static func open(_ request: URLRequest, _ configuration: URLSessionConfiguration) -> EventConnection {
        let connection = EventConnection()
        let session = URLSession(configuration: configuration, delegate: connection, delegateQueue: nil)
        connection.part.onTermination = { _ in session.invalidateAndCancel() }
        session.dataTask(with: request).resume()
        return connection
    }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
    ) {
        let answer = response as? HTTPURLResponse
        part.yield(
            .head(
                status: answer?.statusCode ?? 0,
                retryAfter: answer?.value(forHTTPHeaderField: "Retry-After").flatMap { Int($0) }
            )
        )
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        part.yield(.body(data))
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        part.finish(throwing: error)
    }
}
