import CNGHTTP2

/// The headers of one message, in one buffer that is used again for the next.
package struct HTTP2HeaderBlock {
    private struct Entry {
        let name: StaticString
        let start: Int
        let count: Int
        let flags: UInt8
    }

    private var bytes: [UInt8] = []
    private var entries: [Entry] = []

    package init() {
        bytes.reserveCapacity(1024)
        entries.reserveCapacity(16)
    }

    /// Empties the block and keeps its memory.
    package mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        entries.removeAll(keepingCapacity: true)
    }

    /// The number of headers.
    package var count: Int { entries.count }

    /// Adds a header.
    ///
    /// - Parameters:
    ///   - name: lower case.
    ///   - value: checked by the caller: no control characters.
    ///   - indexed: whether HPACK may put it into its table. A value that is unique to one message must not: it would push
    ///     the useful entries out (RFC 7541 §7.1.3).
    package mutating func append(_ name: StaticString, _ value: UnsafeRawBufferPointer, indexed: Bool) {
        begin(name, count: value.count, indexed: indexed)
        bytes.append(contentsOf: value)
    }

    package mutating func append(_ name: StaticString, _ value: [UInt8], indexed: Bool) {
        begin(name, count: value.count, indexed: indexed)
        bytes.append(contentsOf: value)
    }

    package mutating func append(_ name: StaticString, _ value: ArraySlice<UInt8>, indexed: Bool) {
        begin(name, count: value.count, indexed: indexed)
        bytes.append(contentsOf: value)
    }

    package mutating func append(_ name: StaticString, _ value: String, indexed: Bool) {
        begin(name, count: value.utf8.count, indexed: indexed)
        bytes.append(contentsOf: value.utf8)
    }

    /// Adds a header whose value is written in place.
    ///
    /// - Parameters:
    ///   - name: lower case.
    ///   - count: the value's length in bytes.
    ///   - indexed: whether HPACK may put it into its table.
    ///   - write: fills exactly that many bytes.
    package mutating func append(
        _ name: StaticString,
        count: Int,
        indexed: Bool,
        write: (UnsafeMutableRawBufferPointer) -> Void
    ) {
        begin(name, count: count, indexed: indexed)
        let start = bytes.count
        bytes.append(contentsOf: repeatElement(0, count: count))
        bytes.withUnsafeMutableBytes { write(UnsafeMutableRawBufferPointer(rebasing: $0[start...])) }
    }

    private mutating func begin(_ name: StaticString, count: Int, indexed: Bool) {
        // A static name lives as long as the process, so that nghttp2 need not copy it.
        var flags = NGHTTP2_NV_FLAG_NO_COPY_NAME.rawValue
        if !indexed { flags |= NGHTTP2_NV_FLAG_NO_INDEX.rawValue }
        entries.append(Entry(name: name, start: bytes.count, count: count, flags: UInt8(truncatingIfNeeded: flags)))
    }

    /// Lends the headers in nghttp2's form; it copies the values within the call.
    func withNameValues<Result>(_ body: (UnsafePointer<nghttp2_nv>?, Int) -> Result) -> Result {
        bytes.withUnsafeBufferPointer { bytes in
            withUnsafeTemporaryAllocation(of: nghttp2_nv.self, capacity: max(1, entries.count)) { pairs in
                for (position, entry) in entries.enumerated() {
                    pairs.initializeElement(
                        at: position,
                        to: nghttp2_nv(
                            // nghttp2 declares what it only reads as mutable.
                            name: UnsafeMutablePointer(mutating: entry.name.utf8Start),
                            value: UnsafeMutablePointer(mutating: bytes.baseAddress.map { $0 + entry.start }),
                            namelen: entry.name.utf8CodeUnitCount,
                            valuelen: entry.count,
                            flags: entry.flags
                        )
                    )
                }
                return body(UnsafePointer(pairs.baseAddress), entries.count)
            }
        }
    }
}
