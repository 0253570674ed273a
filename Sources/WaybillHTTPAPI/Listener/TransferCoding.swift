/// The codings of a request's body that are read: none, and chunks.
enum TransferCoding {
    /// - Parameter values: of the header fields `Transfer-Encoding`, in their order.
    /// - Returns: whether a body that comes so is read.
    static func isRead(_ values: [String]) -> Bool {
        values.isEmpty || values.joined(separator: ", ").lowercased() == "chunked"
    }
}
