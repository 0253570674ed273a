import CWaybillNGHTTP2

/// The headers of one message, in memory that is used again for the next.
///
/// An object and not a value, because every request goes through it: as a value it would be copied, and its storage with
/// it, wherever it is lent. What it holds lies behind a pointer: a dozen headers of every request would each pay for Swift's
/// watch over the stored properties of objects.
///
/// *Thread:* one at a time.
package final class HTTP2HeaderBlock {
    private struct Storage {
        /// The values, one after the other.
        var bytes: UnsafeMutableRawBufferPointer
        var used = 0
        /// In nghttp2's form; the values point into ``bytes``.
        var pairs: UnsafeMutableBufferPointer<nghttp2_nv>
        var count = 0
    }

    private let storage: UnsafeMutablePointer<Storage>

    package init() {
        storage = .allocate(capacity: 1)
        storage.initialize(
            to: Storage(bytes: .allocate(byteCount: 1024, alignment: 8), pairs: .allocate(capacity: 16))
        )
    }

    deinit {
        storage.pointee.bytes.deallocate()
        storage.pointee.pairs.deallocate()
        storage.deinitialize(count: 1)
        storage.deallocate()
    }

    /// Empties the block and keeps its memory.
    package func removeAll() {
        storage.pointee.used = 0
        storage.pointee.count = 0
    }

    /// The number of headers.
    package var count: Int { storage.pointee.count }

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
        let start = storage.pointee.used
        if start + count > storage.pointee.bytes.count { growBytes(toHold: start + count) }
        let value = UnsafeMutableRawBufferPointer(rebasing: storage.pointee.bytes[start..<start + count])
        storage.pointee.used = start + count
        write(value)
        // A static name lives as long as the process, so that nghttp2 need not copy it.
        var flags = NGHTTP2_NV_FLAG_NO_COPY_NAME.rawValue
        if !indexed { flags |= NGHTTP2_NV_FLAG_NO_INDEX.rawValue }
        if storage.pointee.count == storage.pointee.pairs.count { growPairs() }
        storage.pointee.pairs[storage.pointee.count] = nghttp2_nv(
            // nghttp2 declares what it only reads as mutable.
            name: UnsafeMutablePointer(mutating: name.utf8Start),
            value: value.baseAddress?.assumingMemoryBound(to: UInt8.self),
            namelen: name.utf8CodeUnitCount,
            valuelen: count,
            flags: UInt8(truncatingIfNeeded: flags)
        )
        storage.pointee.count += 1
    }

    /// Moves the values to a larger memory.
    private func growBytes(toHold count: Int) {
        let bytes = storage.pointee.bytes
        let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: max(count, 2 * bytes.count), alignment: 8)
        larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<storage.pointee.used]))
        var start = 0
        for position in 0..<storage.pointee.count {
            let length = storage.pointee.pairs[position].valuelen
            storage.pointee.pairs[position].value = larger.baseAddress.map {
                ($0 + start).assumingMemoryBound(to: UInt8.self)
            }
            start += length
        }
        bytes.deallocate()
        storage.pointee.bytes = larger
    }

    private func growPairs() {
        let pairs = storage.pointee.pairs
        let larger = UnsafeMutableBufferPointer<nghttp2_nv>.allocate(capacity: 2 * pairs.count)
        _ = larger.initialize(from: pairs[..<storage.pointee.count])
        pairs.deallocate()
        storage.pointee.pairs = larger
    }

    /// Lends the headers in nghttp2's form; it copies the values within the call.
    func withNameValues<Result>(_ body: (UnsafePointer<nghttp2_nv>?, Int) -> Result) -> Result {
        body(storage.pointee.pairs.baseAddress.map { UnsafePointer($0) }, storage.pointee.count)
    }
}
