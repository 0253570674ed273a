import WaybillCore

/// `prune`: what stands between dead tokens and the registry.
enum PruneSection {
    static func read(_ section: SectionReader) -> FusePolicy {
        defer { section.finish() }
        var policy = FusePolicy()
        // One word may stand in the place of the section.
        if !section.isSection("fuse"), let word = section.text("fuse") {
            policy.isOn = word != "off"
            if !["on", "off"].contains(word) {
                section.error("fuse", "must be off, on, or a section with count, percent, multiple, window, most_held")
            }
            return policy
        }
        let fuse = section.section("fuse")
        defer { fuse.finish() }
        policy.count = fuse.integer("count", default: policy.count, in: 1...1_000_000)
        policy.percent = fuse.integer("percent", default: policy.percent, in: 1...99)
        policy.multiple = fuse.integer("multiple", default: policy.multiple, in: 1...1000)
        policy.window = fuse.duration("window", default: policy.window, in: .seconds(60)...(.seconds(3600)))
        if policy.window.components.seconds % 60 != 0 {
            fuse.error("window", "must be whole minutes, such as 10m: answers are counted by the minute")
        }
        policy.mostHeld = fuse.integer("most_held", default: policy.mostHeld, in: 1000...100_000_000)
        return policy
    }
}
