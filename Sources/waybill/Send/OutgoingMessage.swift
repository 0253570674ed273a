/// A body that is ready to be published.
struct OutgoingMessage {
    let body: [UInt8]
    /// Notifications in it; 0 where nobody has looked.
    let count: Int
}
