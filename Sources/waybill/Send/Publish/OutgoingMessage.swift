/// A body that is ready to be published.
struct OutgoingMessage {
    /// The name of its batch, and its message id.
    let id: String
    let body: [UInt8]
    /// Notifications in it; 0 where nobody has looked.
    let count: Int
}
