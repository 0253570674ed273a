/// When the fuse of `waybill prune` blows: `prune.fuse` in the configuration.
package struct FusePolicy: Hashable, Sendable {
    /// Whether there is a fuse at all; without one every event is carried out at once.
    package var isOn: Bool
    /// So many dead and suspect answers in the window are the least that it blows at: what is below says nothing of a lane.
    package var count: Int
    /// The part of a lane's answers, in per cent, that must be passed.
    package var percent: Int
    /// How many times its usual part must be passed as well, where the lane has a history.
    package var multiple: Int
    /// How far it looks back, in whole minutes.
    package var window: Duration
    /// Events that are kept at the most, of all fuses together; beyond, prune takes no more of blown ones off the broker.
    package var mostHeld: Int

    package init(
        isOn: Bool = true,
        count: Int = 20,
        percent: Int = 20,
        multiple: Int = 5,
        window: Duration = .seconds(600),
        mostHeld: Int = 1_000_000
    ) {
        self.isOn = isOn
        self.count = count
        self.percent = percent
        self.multiple = multiple
        self.window = window
        self.mostHeld = mostHeld
    }

    /// The window in minutes, one at the least.
    package var minutes: Int64 { max(1, window.components.seconds / 60) }
}
