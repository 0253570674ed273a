import WaybillTelemetry

/// A lane whose push service takes pushes and answers none, in words.
struct SilenceTrouble {
    let lane: String
    /// Pushes without an answer, at this moment.
    let streams: Int
    let length: Duration
    /// Since when, in milliseconds since 1970.
    let since: Int64

    /// What goes wrong, whose it is, and what to do about it.
    var trouble: Trouble {
        let seconds = Int(length / .seconds(1))
        let words =
            switch streams {
            case 0: "it has answered nothing for \(seconds) s, and no push is on its way to it at this moment"
            case 1: "it took 1 push and has answered none for \(seconds) s"
            default: "it took \(streams) pushes and has answered none for \(seconds) s"
            }
        return Trouble(
            .pushServiceSilent,
            "lane \(lane): the push service is silent: \(words)",
            lane: lane,
            since: since,
            advice:
                "Look at the network between this host and the push service, and at firewalls that drop packets. What is not "
                + "answered in time is sent again where that is safe. The next answer ends this word."
        )
    }
}
