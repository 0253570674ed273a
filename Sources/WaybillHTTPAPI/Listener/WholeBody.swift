import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTP1
import WaybillEncoding

/// Reads a request's body as a whole, within limits, so that nothing is left to read when the answer has been written.
enum WholeBody {
    /// The request with its whole body.
    ///
    /// - Parameters:
    ///   - request: its body has not been read.
    ///   - context: its own.
    ///   - most: bytes.
    /// - Returns: the same request; what its body is can be read at once.
    /// - Throws: ``Problem`` 400, 408, 413 and 415, each of which ends the connection.
    static func read(
        _ request: Request,
        _ context: APIContext,
        most: Int = APILimits.bodyBytes
    ) async throws -> Request {
        guard isThere(request) else { return request }
        guard ContentCoding.isPlain(request.headers[.contentEncoding]) else { throw compressed }
        guard length(of: request) <= most else { throw tooLarge(most) }
        if request.headers.contains(.expect) {
            context.channel.triggerUserOutboundEvent(BodyIsWanted(), promise: nil)
        }
        let body = try await withThrowingTaskGroup(of: ByteBuffer?.self) { group in
            group.addTask {
                do {
                    return try await collect(request.body, most)
                } catch is HTTPParserError {
                    throw Problem.unreadable("the body is not framed as HTTP/1.1 has it")
                } catch is FramingTooLong {
                    throw Problem.unreadable("the body's chunks have too many bytes around them")
                } catch {
                    throw Problem.brokenOff
                }
            }
            group.addTask {
                try await Task.sleep(for: context.bodyTime)
                return nil
            }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
        guard let body else {
            var problem = Problem(.requestTimeout, "the body took longer than \(context.bodyTime)")
            problem.endsConnection = true
            problem.closing = .slowBody
            throw problem
        }
        guard body.readableBytes <= most else { throw tooLarge(most) }
        return Request(head: request.head, body: RequestBody(buffer: body))
    }

    /// Whether a request says that it has one.
    static func isThere(_ request: Request) -> Bool {
        length(of: request) > 0 || request.headers[.transferEncoding] != nil
    }

    /// What the head says of the body's length; 0 where it says nothing, and the most there is for a number that is larger.
    private static func length(of request: Request) -> Int {
        request.headers[.contentLength].map { Int($0) ?? .max } ?? 0
    }

    /// A body up to the first byte that is too many.
    private static func collect(_ body: RequestBody, _ most: Int) async throws -> ByteBuffer {
        var collected = ByteBuffer()
        for try await var part in body {
            collected.writeBuffer(&part)
            if collected.readableBytes > most { break }
        }
        return collected
    }

    private static var compressed: Problem {
        var problem = Problem(.unsupportedMediaType, "a body must not be compressed: leave out Content-Encoding")
        problem.headers[.acceptEncoding] = "identity"
        problem.endsConnection = true
        return problem
    }

    private static func tooLarge(_ most: Int) -> Problem {
        var problem = Problem(.contentTooLarge, "a body has \(most) bytes at most here")
        problem.endsConnection = true
        return problem
    }
}
