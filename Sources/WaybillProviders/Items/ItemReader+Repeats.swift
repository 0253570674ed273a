import WaybillCore
import WaybillEncoding

/// Whether an item is sent again until somebody acknowledges it.
extension ItemReader {
    /// What the item says, else the defaults; `nil` where it is sent once, as every repeat is.
    ///
    /// - Parameters:
    ///   - own: the item's members.
    ///   - type: its delivery type.
    /// - Returns: within the bounds of ``RepeatRule``.
    /// - Throws: also where nothing could ever acknowledge it.
    func repeatRule(own: Members, of type: DeliveryType?) throws(ItemFault) -> RepeatRule? {
        guard family == nil, let setting = setting(.repeatUntilAcknowledged, own: own),
            setting.value.kind != .null
        else { return nil }
        guard setting.value.kind == .object else { throw setting.fault(Self.form) }
        guard type == .critical else { throw setting.fault(.must("goes with delivery_type critical alone")) }
        guard receipts != .unavailable else {
            throw setting.fault(.must("is not possible: the configuration has no section receipts"))
        }
        var interval: Int64?
        var limit: Int64?
        try forEachMember(in: setting.value.range) { (name, value) throws(ItemFault) in
            let number = integer(of: Setting(field: setting.field, value: value, isDefault: setting.isDefault))
            if isName(name, "interval"), interval == nil, let number, Self.holds(number, RepeatRule.intervals) {
                interval = number
            } else if isName(name, "limit"), limit == nil, let number, Self.holds(number, RepeatRule.limits) {
                limit = number
            } else {
                throw setting.fault(Self.form)
            }
        }
        guard let interval, let limit else { throw setting.fault(Self.form) }
        return RepeatRule(interval: Int(interval), limit: Int(limit))
    }

    /// Notes that an item is to be sent again.
    ///
    /// - Parameters:
    ///   - rule: how often.
    ///   - position: among the entries.
    ///   - asksReceipt: whether its push asks for receipts, as item, defaults and lane say.
    /// - Throws: where it does not, and nothing could ever acknowledge it.
    mutating func note(_ rule: RepeatRule, at position: Int, asksReceipt: Bool) throws(ItemFault) {
        guard asksReceipt else {
            throw ItemFault(
                .repeatUntilAcknowledged,
                .must("needs receipt: true, for only a receipt says that it was acknowledged")
            )
        }
        repeats[position] = rule
    }

    /// The bounds of ``RepeatRule``, in words.
    private static let form = ItemFault.Rule.must(
        "must be null, or an object of interval, from 30 to 86400 seconds, and limit, from 1 to 20 repeats"
    )

    private static func holds(_ number: Int64, _ range: ClosedRange<Int>) -> Bool {
        Int64(range.lowerBound)...Int64(range.upperBound) ~= number
    }
}
