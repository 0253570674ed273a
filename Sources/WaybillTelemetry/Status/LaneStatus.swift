package import WaybillEncoding

/// One lane of a dispatcher, as it was at one moment.
package struct LaneStatus: Hashable, Sendable {
    /// Whether a lane sends.
    package enum State: String, CaseIterable, Sendable {
        /// It sends, or would.
        case open
        /// Its messages wait in the delay queues: the provider refuses it, cannot be reached, or asked for silence.
        case parked
        /// One message is on its way to find out whether it can send again.
        case probing
        /// An operator has ordered that it sends nothing: its messages wait in the delay queues.
        case paused
        /// As ``paused``, and what it had taken before is still sent.
        case draining
    }

    package var name: String
    package var state = State.open
    /// Why it does not send, in words; `nil` while it is open.
    package var cause: String?
    /// What to do about that, as sentences; `nil` while it is open.
    package var advice: String?
    /// Since when it is in this state, in milliseconds since 1970.
    package var since: Int64 = 0
    /// Whether it is known not to have been so before, in the process before this one.
    package var isSinceExact = false
    /// When a parked lane is tried again, in milliseconds since 1970.
    package var retryAt: Int64?

    /// Connections that may carry new requests.
    package var connections = 0
    /// Connections on their way.
    package var connecting = 0
    /// Requests without an answer yet.
    package var streams = 0
    /// Requests that wait for a stream.
    package var waiting = 0
    /// How often requests had to wait, for a stream or for a flow-control window, since the start.
    package var stalls = 0
    /// GOAWAY frames since the start.
    package var goAways = 0

    package init(name: String) {
        self.name = name
    }

    package func write(to json: inout JSONWriter) {
        json.beginObject()
        json.member("name", name)
        json.member("state", state.rawValue)
        if let cause { json.member("cause", lineSafe: cause) }
        if let advice { json.member("advice", lineSafe: advice) }
        json.member("since", TimeText.text(milliseconds: since))
        json.member("since_exact", json: (isSinceExact ? "true" : "false").utf8)
        json.member("retry_at", retryAt.map { TimeText.text(milliseconds: $0) })
        json.member("connections", connections)
        json.member("connecting", connecting)
        json.member("streams", streams)
        json.member("waiting", waiting)
        json.member("stalls", stalls)
        json.member("goaways", goAways)
        json.endObject()
    }
}
