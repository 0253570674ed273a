import WaybillCore
import WaybillEncoding

/// How an item is sent, as far as any provider has it: its own values, else the defaults.
extension ItemReader {
    /// `nil` where nothing says how urgent it is.
    func priority(own: Members) throws(ItemFault) -> PriorityClass? {
        guard let setting = setting(.priority, own: own) else { return nil }
        switch integer(of: setting) {
        case 10?: return .high
        case 5?: return .normal
        case 1?: return .low
        default: throw setting.fault(.must("must be a number: 10, 5 or 1"))
        }
    }

    /// `nil` where neither the item nor the defaults have one.
    func expiration(own: Members) throws(ItemFault) -> Expiration? {
        guard let setting = setting(.expiration, own: own) else { return nil }
        if setting.value.kind == .null { return .absent }
        // Milliseconds in the place of seconds are the common mistake; they lie far above the limit.
        guard let seconds = integer(of: setting), 0...Lifetime.lastSecond ~= seconds else {
            throw setting.fault(.must("must be null, or a number of seconds since 1970 from 0 to 4294967295"))
        }
        return Expiration(seconds: seconds)
    }

    /// In seconds; null sets no limit, whatever client and lane have.
    func maxAge(own: Members) throws(ItemFault) -> Int? {
        guard let setting = setting(.maxAge, own: own) else { return commonMaxAge }
        if setting.value.kind == .null { return nil }
        guard let seconds = integer(of: setting), 1...31_536_000 ~= seconds else {
            throw setting.fault(.must("must be null, or a whole number of seconds from 1 to 31536000"))
        }
        return Int(seconds)
    }

    /// `nil` leaves it to the provider's rules.
    mutating func onUnknown(own: Members) throws(ItemFault) -> UnknownPolicy? {
        guard let setting = setting(.onUnknown, own: own) else { return nil }
        let text = try text(of: setting)
        guard let policy = withBytes(text, { UnknownPolicy(rawValue: String(decoding: $0, as: UTF8.self)) }) else {
            throw setting.fault(.must("must be resend or record"))
        }
        return policy
    }

    // MARK: - Collapsing

    /// What an item asks for with `collapse` or `collapse_id`.
    enum CollapseChoice {
        /// A key that follows from a rule.
        case rule(CollapseRule)
        /// A key of its own.
        case key(Text)
        /// No key, whatever the rules say.
        case noKey
    }

    /// The nearer of the two fields wins: the item's own, then the defaults'.
    ///
    /// - Parameters:
    ///   - own: the item's members.
    ///   - maxKeyLength: the most bytes that its provider takes.
    ///   - form: what `collapse_id` must be, in words.
    /// - Returns: `nil` leaves it to the lane.
    /// - Throws: what is wrong with one of the two.
    mutating func collapse(
        own: Members,
        maxKeyLength: Int,
        _ form: StaticString
    ) throws(ItemFault) -> CollapseChoice? {
        if let own = try collapse(in: own, isDefault: false, maxKeyLength: maxKeyLength, form) { return own }
        return try collapse(in: envelope.defaults, isDefault: true, maxKeyLength: maxKeyLength, form)
    }

    private mutating func collapse(
        in members: Members,
        isDefault: Bool,
        maxKeyLength: Int,
        _ form: StaticString
    ) throws(ItemFault) -> CollapseChoice? {
        let rule = value(.collapse, of: members).map { Setting(field: .collapse, value: $0, isDefault: isDefault) }
        guard let key = value(.collapseID, of: members) else {
            guard let rule else { return nil }
            return .rule(try collapseRule(rule))
        }
        if let rule { throw rule.fault(.must("must not stand beside collapse_id")) }
        if key.kind == .null { return .noKey }
        let setting = Setting(field: .collapseID, value: key, isDefault: isDefault)
        return .key(try visibleText(of: setting, maxLength: maxKeyLength, form))
    }

    private mutating func collapseRule(_ setting: Setting) throws(ItemFault) -> CollapseRule {
        let text = try text(of: setting)
        guard let rule = withBytes(text, { CollapseRule(rawValue: String(decoding: $0, as: UTF8.self)) }) else {
            throw setting.fault(.must("must be content, notification or none"))
        }
        return rule
    }
}
