/// What a tail may hold, and how much of it one viewer is sent.
struct TailLimits: Sendable {
    /// The last records, for viewers that come back: so many, and so many bytes of them.
    var records = 10_000
    var bytes = 16 << 20
    /// Records a second that a viewer is sent, and at once; what else matches is counted.
    var perSecond = 50.0
    /// What a viewer that comes back is sent of what it has missed, the newest.
    var replayed = 1000
    var replayedBytes = 2 << 20
    /// What may wait for a viewer; one that takes too little is dropped.
    var waiting = 2000
    var waitingBytes = 4 << 20
    /// How often it is looked whether a viewer's key still holds.
    var welcomeInterval = Duration.seconds(20)
    /// How often a viewer is told that nothing is missing, while the store says so.
    var aliveInterval = Duration.seconds(3)
    /// For how long a store that says nothing may be believed to be there; it is asked four times a second.
    var silence = Duration.seconds(3)
    /// How long records are collected when nobody is there any more, so that a viewer can come back.
    var patience = Duration.seconds(30)
}
