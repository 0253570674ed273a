/// How a response's body leaves, where a server wants it otherwise than in as few frames as the windows allow.
package struct HTTP2BodyForm {
    /// The most bytes in one DATA frame; `nil` fills the frames.
    package var pieceSize: Int?
    /// How many empty DATA frames go ahead.
    package var emptyFrames = 0
    /// Whether an empty DATA frame ends the stream, and not the last one with bytes.
    package var endsWithEmptyFrame = false
    /// Headers behind the body; they end the stream in its place.
    package var trailers: HTTP2HeaderBlock?

    package init() {}
}
