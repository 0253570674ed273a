/// The names of batches that tell a person's phones that something was read: no notification of anybody's.
package enum ReadPushName {
    private static let ending = ".read"

    /// The name of the batch that tells of a notification, or of several.
    ///
    /// - Parameter id: the notification's, or one of its own.
    /// - Returns: another name, which no notification has.
    package static func name(_ id: String) -> String { id + ending }

    /// Whether a batch of the front door, or the part of one, tells of that.
    package static func isOne(_ batch: String) -> Bool {
        (BatchName.whole(of: batch) ?? batch).hasSuffix(ending)
    }
}
