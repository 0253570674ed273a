import WaybillEncoding

/// One thing that happened to a notification, or will.
package struct StoryStep: Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable {
        /// Its producer published it, by the producer's clock.
        case published
        /// A dispatcher took it.
        case received
        /// It was sent.
        case attempt
        /// It waited for the next attempt.
        case putOff = "put_off"
        /// It will be tried again.
        case due
        /// What became of it was known.
        case outcome
        /// A later one with the same collapse id took its place on the device's screen.
        case replaced
        /// Its device said what became of it there.
        case receipt
        /// It is sent again until somebody acknowledges it, or is such a repeat.
        case repeats = "repeat"
        /// An invalid-token event was due.
        case event
        /// A fuse of prune doubted that event, and holds it; or a person has decided about what it held.
        case fuse
        /// What the registry says of the token now.
        case registry
        /// The record expires.
        case expires
    }

    package var kind: Kind
    /// Milliseconds since 1970; `nil` where no time is known.
    package var date: Int64?
    /// Milliseconds since 1970: by when it happens, where `date` says no more than that it is not before; `nil` for all else.
    package var latest: Int64?
    /// For people: one line, without what the other members say.
    package var text: String
    /// Of an answer.
    package var statusCode: Int?
    /// The provider's word, or ours.
    package var reason: String?

    package init(
        _ kind: Kind,
        date: Int64?,
        text: String,
        latest: Int64? = nil,
        statusCode: Int? = nil,
        reason: String? = nil
    ) {
        self.kind = kind
        self.date = date
        self.latest = latest
        self.text = text
        self.statusCode = statusCode
        self.reason = reason
    }

    /// The step as an object.
    var json: String {
        var object = JSONObject()
        object.add("kind", kind.rawValue)
        object.add("date", date.map(TimeText.text(milliseconds:)))
        object.add("latest", latest.map(TimeText.text(milliseconds:)))
        object.add("text", text)
        object.add("status_code", statusCode)
        object.add("reason", reason)
        return object.text
    }
}
