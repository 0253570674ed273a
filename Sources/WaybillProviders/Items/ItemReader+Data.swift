import WaybillCore
import WaybillEncoding

/// What a producer has for the app, beside a message's text: one object for phones of every provider.
extension ItemReader {
    /// The members of `data`, which have names that every provider lets pass.
    ///
    /// - Parameter setting: the field, with its place in the body.
    /// - Returns: names and values, counted from the body's start, in their order.
    /// - Throws: what is wrong with it.
    func dataMembers(of setting: Setting) throws(ItemFault) -> [(name: JSONValue, value: JSONValue)] {
        guard setting.value.kind == .object else { throw setting.fault(.must("must be an object")) }
        guard !setting.value.hasLoneSurrogate else { throw setting.fault(.must("holds half of a surrogate pair")) }
        var members: [(name: JSONValue, value: JSONValue)] = []
        var names: Set<[UInt8]> = []
        try forEachMember(in: setting.value.range) { (name, value) throws(ItemFault) in
            guard !isName(name, "aps") else {
                throw setting.fault(.must("must not have aps, which the fields beside message make"))
            }
            let text = unescaped(name)
            guard !text.starts(with: "wb_".utf8) else {
                throw setting.fault(.must("must not have a key that begins with wb_: these are Waybill's"))
            }
            guard names.insert(text).inserted else { throw setting.fault(.must("has a key twice")) }
            members.append((name, value))
        }
        return members
    }

    /// A string's text in bytes of its own.
    func unescaped(_ string: JSONValue) -> [UInt8] {
        let source = UnsafeBufferPointer(rebasing: bytes[string.stringRange])
        guard string.hasEscapes else { return Array(source) }
        var text: [UInt8] = []
        JSONText.appendUnescaped(source, to: &text)
        return text
    }
}
