/// The byte order mark that some editors and spreadsheets write in front of UTF-8.
package enum ByteOrderMark {
    private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// A file's bytes without the mark.
    package static func removed(from bytes: [UInt8]) -> [UInt8] {
        bytes.starts(with: mark) ? Array(bytes.dropFirst(mark.count)) : bytes
    }
}
