import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Carries requests, and makes errors of what the server refuses.
struct Transport: Sendable {
    let server: URL
    let urlSession: URLSession

    private static let timeout: TimeInterval = 15

    /// - Returns: the answer's body, where its status is one of success.
    /// - Throws: ``WaybillError``, or what `URLSession` says.
    func ask(
        _ method: String,
        _ path: String,
        query: [URLQueryItem] = [],
        body: (any Encodable & Sendable)? = nil,
        token: String?
    ) async throws -> Data {
        var request = try request(path, query: query, token: token, timeout: Self.timeout)
        request.httpMethod = method
        if let body {
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
            request.httpBody = try JSONEncoder().encode(body)
        }
        let (data, response) = try await urlSession.data(for: request)
        guard let answer = response as? HTTPURLResponse else { throw WaybillError.unreadable }
        guard (200..<300).contains(answer.statusCode) else {
            throw WaybillError.problem(
                status: answer.statusCode,
                detail: Self.detail(data),
                retryAfter: answer.value(forHTTPHeaderField: "Retry-After").flatMap { Int($0) }
            )
        }
        return data
    }

    /// Opens an answer that goes on and on.
    ///
    /// - Parameters:
    ///   - path: the route.
    ///   - id: of the event behind which it goes on.
    ///   - token: the access token.
    ///   - silence: seconds without a byte after which the connection counts as dead.
    /// - Returns: the answer, which comes part by part.
    /// - Throws: ``WaybillError`` for a server whose URL is none.
    func stream(_ path: String, after id: String?, token: String, silence: TimeInterval) throws -> EventConnection {
        var request = try request(path, token: token, timeout: silence)
        if let id { request.setValue(id, forHTTPHeaderField: "Last-Event-ID") }
        return EventConnection.open(request, urlSession.configuration)
    }

    /// Why the server refuses, by the body of its answer.
    static func detail(_ body: Data) -> String {
        struct Problem: Decodable { let detail: String }
        return (try? JSONDecoder().decode(Problem.self, from: body))?.detail ?? ""
    }

    /// An id as one segment of a path, whatever characters it has.
    static func segment(_ id: String) -> String {
        let plain = CharacterSet(
            charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_~"
        )
        return id.addingPercentEncoding(withAllowedCharacters: plain) ?? ""
    }

    /// A request whose path has every id escaped.
    private func request(
        _ path: String,
        query: [URLQueryItem] = [],
        token: String?,
        timeout: TimeInterval
    ) throws -> URLRequest {
        guard var parts = URLComponents(url: server, resolvingAgainstBaseURL: false) else {
            throw WaybillError.unreadable
        }
        let base = parts.percentEncodedPath
        parts.percentEncodedPath = (base.hasSuffix("/") ? String(base.dropLast()) : base) + path
        if !query.isEmpty { parts.queryItems = query }
        guard let url = parts.url else { throw WaybillError.unreadable }
        var request = URLRequest(url: url, cachePolicy: .reloadIgnoringLocalCacheData, timeoutInterval: timeout)
        if let token { request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization") }
        return request
    }
}
