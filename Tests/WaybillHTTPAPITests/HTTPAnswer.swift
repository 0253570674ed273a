import Foundation

/// An answer to one request, over a connection of its own.
///
/// Foundation's client is not used: on Linux, it keeps a core busy for as long as it waits for an answer.
struct HTTPAnswer {
    let status: Int
    /// By name in lower case; several of one name are joined as RFC 9110, section 5.2, says.
    let headers: [String: String]
    let body: [UInt8]
    let text: String

    var type: String { headers["content-type"] ?? "" }

    var json: [String: Any] {
        (try? JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]) ?? [:]
    }

    enum Failure: Error {
        case noURL(String)
        case unfinished(String)
    }

    /// Asks a server on this machine.
    ///
    /// - Throws: ``Failure`` for a path that no URL has, and for an answer without an end.
    static func of(
        port: Int,
        _ path: String,
        method: String = "GET",
        headers: [String: String] = [:],
        body: Data? = nil
    ) async throws -> HTTPAnswer {
        let server = "http://127.0.0.1:\(port)"
        guard let url = URL(string: server + path) else { throw Failure.noURL(path) }
        var head = "\(method) \(url.absoluteString.dropFirst(server.count)) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n"
        for (name, value) in headers { head += "\(name): \(value)\r\n" }
        if let body {
            head += "Content-Length: \(body.count)\r\n"
        } else if method == "POST" || method == "PUT" {
            head += "Content-Length: 0\r\n"
        }
        let client = try RawClient(port: port)
        defer { client.close() }
        client.send(Array("\(head)\r\n".utf8) + (body ?? Data()))
        var answer: HTTPAnswer?
        _ = try await client.reads { client in
            answer = HTTPAnswer(client.bytes, isOver: client.isOver, hasBody: method != "HEAD")
            return answer != nil || client.isOver
        }
        guard let answer else { throw Failure.unfinished(client.text) }
        return answer
    }

    /// - Returns: nil while the answer has not ended.
    private init?(_ bytes: [UInt8], isOver: Bool, hasBody: Bool) {
        guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
        let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { return nil }
            let name = line[..<colon].lowercased()
            let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
            headers[name] = headers[name].map { "\($0), \(value)" } ?? value
        }
        guard let status = lines[0].split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else { return nil }
        let rest = bytes[end.upperBound...]
        let body: [UInt8]
        if !hasBody || status == 204 || status == 304 {
            body = []
        } else if headers["transfer-encoding"]?.lowercased() == "chunked" {
            guard let whole = Self.chunks(rest) else { return nil }
            body = whole
        } else if let length = headers["content-length"].flatMap({ Int($0) }) {
            guard rest.count >= length else { return nil }
            body = Array(rest.prefix(length))
        } else {
            guard isOver else { return nil }
            body = Array(rest)
        }
        self.status = status
        self.headers = headers
        self.body = body
        text = String(decoding: body, as: UTF8.self)
    }

    /// - Returns: nil while the last chunk has not come.
    private static func chunks(_ bytes: ArraySlice<UInt8>) -> [UInt8]? {
        var (body, rest) = ([UInt8](), bytes)
        let lineEnd = Array("\r\n".utf8)
        while let end = rest.firstRange(of: lineEnd) {
            let size = String(decoding: rest[..<end.lowerBound], as: UTF8.self).prefix { $0 != ";" }
            guard let size = Int(size, radix: 16) else { return nil }
            rest = rest[end.upperBound...]
            guard rest.count >= size + lineEnd.count else { return nil }
            if size == 0 { return body }
            body += rest.prefix(size)
            rest = rest.dropFirst(size + lineEnd.count)
        }
        return nil
    }
}
