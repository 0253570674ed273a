/// The bytes of a connection that speaks HTTP/1.1 (RFC 9112): requests one after the other, and their answers; pure.
///
/// Of requests it takes what clients of FCM send: headers, and a body with `content-length`.
package struct HTTP1Exchange: Sendable {
    /// A complete request.
    package struct Request: Hashable, Sendable {
        package let method: String
        package let path: String
        package let headers: [(name: String, value: String)]
        package let body: [UInt8]

        package static func == (left: Request, right: Request) -> Bool {
            left.method == right.method && left.path == right.path && left.body == right.body
                && left.headers.elementsEqual(right.headers) { $0 == $1 }
        }

        package func hash(into hasher: inout Hasher) {
            hasher.combine(method)
            hasher.combine(path)
            hasher.combine(body)
        }
    }

    /// The bytes are no request that this can read.
    package struct Malformed: Error {}

    private static let maximumHead = 32 * 1024
    private static let maximumBody = 1 << 20
    private static let headEnd = Array("\r\n\r\n".utf8)

    private var input: [UInt8] = []
    /// What waits to be written.
    package private(set) var output: [UInt8] = []

    package init() {}

    /// Takes bytes of the client's.
    package mutating func receive(_ bytes: UnsafeRawBufferPointer) {
        input += bytes
    }

    /// Takes the next request, as soon as all of it is here.
    package mutating func next() throws(Malformed) -> Request? {
        guard let end = input.indices.first(where: { input[$0...].starts(with: Self.headEnd) }) else {
            guard input.count <= Self.maximumHead else { throw Malformed() }
            return nil
        }
        let lines = String(decoding: input[..<end], as: UTF8.self).split(separator: "\r\n")
        let start = lines.first?.split(separator: " ", omittingEmptySubsequences: false) ?? []
        guard start.count == 3, start[2].hasPrefix("HTTP/1.") else { throw Malformed() }
        var headers: [(name: String, value: String)] = []
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { throw Malformed() }
            let value = line[line.index(after: colon)...].drop { $0 == " " }
            headers.append((line[..<colon].lowercased(), String(value)))
        }
        let length = headers.first { $0.name == "content-length" }.map { Int($0.value) } ?? 0
        guard let length, (0...Self.maximumBody).contains(length),
            !headers.contains(where: { $0.name == "transfer-encoding" })
        else { throw Malformed() }
        let bodyStart = end + Self.headEnd.count
        guard input.count >= bodyStart + length else { return nil }
        let body = Array(input[bodyStart..<(bodyStart + length)])
        input.removeFirst(bodyStart + length)
        return Request(method: String(start[0]), path: String(start[1]), headers: headers, body: body)
    }

    /// Adds an answer.
    package mutating func answer(status: Int, headers: [(name: String, value: String)], body: [UInt8]) {
        output += "HTTP/1.1 \(status) Status\r\n".utf8
        for header in headers { output += "\(header.name): \(header.value)\r\n".utf8 }
        output += "content-length: \(body.count)\r\n\r\n".utf8
        output += body
    }

    /// So many bytes have been written.
    package mutating func wrote(_ count: Int) {
        output.removeFirst(count)
    }
}
