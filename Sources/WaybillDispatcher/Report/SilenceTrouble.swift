import WaybillTelemetry
import WaybillThreads

/// A lane whose push service takes pushes and answers none, in words.
struct SilenceTrouble {
    let lane: String
    /// Pushes without an answer.
    let streams: Int
    let length: Duration

    /// What goes wrong, whose it is, and what to do about it.
    var trouble: Trouble {
        Trouble(
            .pushServiceSilent,
            "lane \(lane): the push service is silent: it took \(streams == 1 ? "1 push" : "\(streams) pushes") and has answered "
                + "none for \(Int(length / .seconds(1))) s",
            lane: lane,
            since: WallClock.milliseconds() - Int64(length / .milliseconds(1)),
            advice:
                "Look at the network between this host and the push service, and at firewalls that drop packets. What is not "
                + "answered in time is sent again where that is safe."
        )
    }
}
