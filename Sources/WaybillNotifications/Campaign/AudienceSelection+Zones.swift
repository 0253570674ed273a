import WaybillMessages

extension AudienceSelection.Kind {
    /// The time zones of all devices that are meant; empty: they may be anywhere.
    var zones: [String] {
        guard case .filter(let filter) = self else { return [] }
        let others = Set(filter.otherTimeZones)
        let left = filter.timeZones.filter { !others.contains($0) }
        // Of what leaves out all that it names, nobody is meant: in whichever zones.
        return left.isEmpty ? filter.timeZones : left
    }
}
