package import WaybillCore

/// How a repeat's header is written.
extension FamilyMember {
    /// The header's value: `019a….…/2/5/1790000000000`, the first one's id, number, limit, and the first one's time.
    package var headerText: String { "\(first)/\(number)/\(limit)/\(begins)" }

    /// Reads the header's value; `nil` if it is not what a schedule writes.
    package init?(headerText: String) {
        let parts = headerText.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 4, let first = NotificationID(parts[0]), let number = Int(parts[1]),
            let limit = Int(parts[2]), let begins = Int64(parts[3]), RepeatRule.limits ~= limit, 1...limit ~= number,
            0..<(1 << 48) ~= begins
        else { return nil }
        self.init(first: first, number: number, limit: limit, begins: begins)
    }
}
