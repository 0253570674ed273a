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
        body: [String: String]? = nil,
        token: String?
    ) async throws -> Data {
        guard var parts = URLComponents(url: server, resolvingAgainstBaseURL: false) else {
            throw WaybillError.unreadable
        }
        parts.path = (parts.path.hasSuffix("/") ? String(parts.path.dropLast()) : parts.path) + path
        if !query.isEmpty { parts.queryItems = query }
        guard let url = parts.url else { throw WaybillError.unreadable }
        var request = URLRequest(url: url, cachePolicy: .reloadIgnoringLocalCacheData, timeoutInterval: Self.timeout)
        request.httpMethod = method
        if let token { request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization") }
        if let body {
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
            request.httpBody = try JSONEncoder().encode(body)
        }
        let (data, response) = try await urlSession.data(for: request)
        guard let answer = response as? HTTPURLResponse else { throw WaybillError.unreadable }
        guard (200..<300).contains(answer.statusCode) else {
            struct Problem: Decodable { let detail: String }
            throw WaybillError.problem(
                status: answer.statusCode,
                detail: (try? JSONDecoder().decode(Problem.self, from: data))?.detail ?? "",
                retryAfter: answer.value(forHTTPHeaderField: "Retry-After").flatMap { Int($0) }
            )
        }
        return data
    }
}
