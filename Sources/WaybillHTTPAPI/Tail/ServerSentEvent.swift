import WaybillEncoding

/// Writes server-sent events (`text/event-stream` of HTML).
enum ServerSentEvent {
    /// One event.
    ///
    /// - Parameters:
    ///   - name: what kind.
    ///   - id: what a client that comes back shows as `Last-Event-ID`; `nil` leaves that as it is.
    ///   - data: JSON on one line, in which what a terminal acts on is escaped here.
    /// - Returns: its lines and the empty one behind them.
    static func text(_ name: StaticString, id: String? = nil, data: String) -> String {
        "\(id.map { "id: \($0)\n" } ?? "")event: \(name)\ndata: \(JSONText.terminalSafe(data))\n\n"
    }

    /// What no client shows: a comment, with the id from which it would go on now.
    static func comment(id: String) -> String { ":\nid: \(id)\n\n" }

    /// After how many milliseconds a client comes back.
    static func retry(_ milliseconds: Int) -> String { "retry: \(milliseconds)\n\n" }
}
