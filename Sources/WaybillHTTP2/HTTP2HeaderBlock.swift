import CWaybillNGHTTP2

/// The headers of one message, in memory that is used again for the next.
///
/// An object and not a value, because every request goes through it: as a value it would be copied, and its storage with
/// it, wherever it is lent.
///
/// *Thread:* one at a time.
package final class HTTP2HeaderBlock {
    /// The values, one after the other.
    private var bytes: UnsafeMutableRawBufferPointer
    private var used = 0
    /// In nghttp2's form; the values point into ``bytes``.
    private var pairs: [nghttp2_nv] = []

    package init() {
        bytes = .allocate(byteCount: 1024, alignment: 8)
        pairs.reserveCapacity(16)
    }

    deinit {
        bytes.deallocate()
    }

    /// Empties the block and keeps its memory.
    package func removeAll() {
        used = 0
        pairs.removeAll(keepingCapacity: true)
    }

    /// The number of headers.
    package var count: Int { pairs.count }

    /// Adds a header.
    ///
    /// - Parameters:
    ///   - name: lower case.
    ///   - value: checked by the caller: no control characters.
    ///   - indexed: whether HPACK may put it into its table. A value that is unique to one message must not: it would push
    ///     the useful entries out (RFC 7541 §7.1.3).
    package func append(_ name: StaticString, _ value: UnsafeRawBufferPointer, indexed: Bool) {
        append(name, count: value.count, indexed: indexed) { $0.copyMemory(from: value) }
    }

    package func append(_ name: StaticString, _ value: [UInt8], indexed: Bool) {
        value.withUnsafeBytes { append(name, $0, indexed: indexed) }
    }

    package func append(_ name: StaticString, _ value: ArraySlice<UInt8>, indexed: Bool) {
        value.withUnsafeBytes { append(name, $0, indexed: indexed) }
    }

    package func append(_ name: StaticString, _ value: String, indexed: Bool) {
        var value = value
        value.withUTF8 { append(name, UnsafeRawBufferPointer($0), indexed: indexed) }
    }

    /// Adds a header whose value is written in place.
    ///
    /// - Parameters:
    ///   - name: lower case.
    ///   - count: the value's length in bytes.
    ///   - indexed: whether HPACK may put it into its table.
    ///   - write: fills exactly that many bytes.
    package func append(
        _ name: StaticString,
        count: Int,
        indexed: Bool,
        write: (UnsafeMutableRawBufferPointer) -> Void
    ) {
        if used + count > bytes.count { grow(toHold: used + count) }
        let value = UnsafeMutableRawBufferPointer(rebasing: bytes[used..<used + count])
        used += count
        write(value)
        // A static name lives as long as the process, so that nghttp2 need not copy it.
        var flags = NGHTTP2_NV_FLAG_NO_COPY_NAME.rawValue
        if !indexed { flags |= NGHTTP2_NV_FLAG_NO_INDEX.rawValue }
        pairs.append(
            nghttp2_nv(
                // nghttp2 declares what it only reads as mutable.
                name: UnsafeMutablePointer(mutating: name.utf8Start),
                value: value.baseAddress?.assumingMemoryBound(to: UInt8.self),
                namelen: name.utf8CodeUnitCount,
                valuelen: count,
                flags: UInt8(truncatingIfNeeded: flags)
            )
        )
    }

    /// Moves the values to a larger memory.
    private func grow(toHold count: Int) {
        let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: max(count, 2 * bytes.count), alignment: 8)
        larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<used]))
        var start = 0
        for position in pairs.indices {
            pairs[position].value = larger.baseAddress.map { ($0 + start).assumingMemoryBound(to: UInt8.self) }
            start += pairs[position].valuelen
        }
        bytes.deallocate()
        bytes = larger
    }

    /// Lends the headers in nghttp2's form; it copies the values within the call.
    func withNameValues<Result>(_ body: (UnsafePointer<nghttp2_nv>?, Int) -> Result) -> Result {
        pairs.withUnsafeBufferPointer { body($0.baseAddress, $0.count) }
    }
}
