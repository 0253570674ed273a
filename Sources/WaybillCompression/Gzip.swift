import CWaybillZlib

/// Bytes that are no gzip stream, or more than allowed.
package enum GzipError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The inflated bytes would exceed the limit.
    case tooLarge
    /// The bytes are no gzip stream, or a checksum is wrong.
    case corrupt
    /// The stream ends too early.
    case truncated
    /// zlib has no memory.
    case library

    package var description: String {
        switch self {
        case .tooLarge: "the inflated body is over the limit"
        case .corrupt: "the body is no valid gzip stream"
        case .truncated: "the gzip stream ends too early"
        case .library: "zlib has no memory"
        }
    }
}

/// The gzip format (RFC 1952) in memory.
package enum Gzip {
    /// Inflates a stream; several members in a row count as one.
    ///
    /// - Parameters:
    ///   - bytes: one or more whole members and nothing else.
    ///   - limit: the most bytes to produce. No more than that is ever allocated, whatever the stream claims.
    /// - Returns: the inflated bytes of all members.
    /// - Throws: `GzipError`.
    package static func inflate(_ bytes: [UInt8], limit: Int) throws(GzipError) -> [UInt8] {
        var stream = z_stream()
        guard wb_inflate_init_gzip(&stream) == Z_OK else { throw GzipError.library }
        defer { inflateEnd(&stream) }
        var output: [UInt8] = []
        var input = bytes[...]
        var hasEnded = false
        while !(hasEnded && input.isEmpty) {
            if hasEnded {
                guard inflateReset(&stream) == Z_OK else { throw GzipError.library }
                hasEnded = false
            }
            // One byte over the limit tells "exactly full" from "too much".
            let room = min(max(4096, output.count), max(0, limit) - output.count) + 1
            let (result, consumed, produced) = step(&stream, input, room: room)
            input = input.dropFirst(consumed)
            output.append(contentsOf: produced)
            if output.count > limit { throw GzipError.tooLarge }
            switch result {
            case Z_STREAM_END: hasEnded = true
            case Z_OK: break
            case Z_BUF_ERROR where consumed > 0 || !produced.isEmpty: break
            case Z_BUF_ERROR: throw GzipError.truncated
            case Z_MEM_ERROR: throw GzipError.library
            default: throw GzipError.corrupt
            }
        }
        guard hasEnded else { throw GzipError.truncated }
        return output
    }

    /// Deflates bytes into a stream of one member.
    package static func deflate(_ bytes: [UInt8]) throws(GzipError) -> [UInt8] {
        var stream = z_stream()
        guard wb_deflate_init_gzip(&stream) == Z_OK else { throw GzipError.library }
        defer { deflateEnd(&stream) }
        var output = [UInt8](repeating: 0, count: Int(deflateBound(&stream, UInt(bytes.count))))
        var input = bytes
        let capacity = output.count
        let result = input.withUnsafeMutableBufferPointer { input in
            output.withUnsafeMutableBufferPointer { output in
                stream.next_in = input.baseAddress
                stream.avail_in = UInt32(input.count)
                stream.next_out = output.baseAddress
                stream.avail_out = UInt32(capacity)
                return CWaybillZlib.deflate(&stream, Z_FINISH)
            }
        }
        guard result == Z_STREAM_END else { throw GzipError.library }
        output.removeLast(Int(stream.avail_out))
        return output
    }

    private static func step(
        _ stream: inout z_stream,
        _ input: ArraySlice<UInt8>,
        room: Int
    ) -> (result: Int32, consumed: Int, produced: [UInt8]) {
        var result = Z_OK
        var consumed = 0
        let produced = [UInt8](unsafeUninitializedCapacity: room) { output, count in
            input.withUnsafeBufferPointer { input in
                // zlib only reads its input, whatever its signature says.
                stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
                let available = UInt32(clamping: input.count)
                stream.avail_in = available
                stream.next_out = output.baseAddress
                stream.avail_out = UInt32(clamping: room)
                result = CWaybillZlib.inflate(&stream, Z_NO_FLUSH)
                consumed = Int(available - stream.avail_in)
            }
            count = Int(UInt32(clamping: room) - stream.avail_out)
        }
        return (result, consumed, produced)
    }
}
