/// The values of `content-encoding` that people use.
package enum ContentCoding {
    /// Names of no compression: of HTTP, of MIME's transfer encodings, and of character sets that are UTF-8 here.
    private static let plain: Set = ["", "identity", "binary", "7bit", "8bit", "us-ascii", "ascii", "utf-8", "utf8"]

    /// Whether a body is as it stands.
    ///
    /// - Parameter name: the value of the property or the header field; `nil` if it is absent.
    /// - Returns: `false` for a compression, and for an unknown name.
    package static func isPlain(_ name: String?) -> Bool { name.map { plain.contains($0.lowercased()) } ?? true }
}
