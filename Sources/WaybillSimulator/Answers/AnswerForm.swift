/// How an answer leaves, where it does not leave the plain way.
package struct AnswerForm: Hashable, Sendable {
    /// What becomes of the `apns-id` header.
    package enum ID: String, Hashable, Sendable, CaseIterable {
        /// The request's comes back, or a made one where it had none.
        case echoed
        /// There is none.
        case absent
        /// A made one that is not the request's.
        case other
    }

    /// Interim statuses (1xx) that go ahead of the answer, each in a block of its own.
    package var interim: [Int] = []
    /// The response's `apns-id`.
    package var id = ID.echoed
    /// The response's `apns-channel-id`.
    package var channelID: String?
    /// The response's `retry-after`, as it stands: seconds, a date, or what is neither.
    package var retryAfter: String?
    /// The response's `date`, as it stands; APNs sends none.
    package var date: String?
    /// How many bytes of an unknown header go with the answer.
    ///
    /// More than a frame's 16,384 spread the block over CONTINUATION frames; at most ``maximumHeaderBytes``.
    package var headerBytes = 0
    /// Pads the body to this many bytes, its JSON with a long reason; `nil` leaves it as it is.
    package var bodyBytes: Int?
    /// The most bytes of the body in one DATA frame; `nil` fills the frames.
    package var pieceSize: Int?
    /// How many empty DATA frames go ahead of the body.
    package var emptyFrames = 0
    /// Whether trailers end the answer.
    package var hasTrailers = false

    /// More than nghttp2 takes in one block beside the other headers.
    package static let maximumHeaderBytes = 60_000

    /// The plain way.
    package init() {}

    /// Whether the body needs more than HTTP/2's usual frames.
    var shapesBody: Bool { pieceSize != nil || emptyFrames > 0 || hasTrailers }
}
