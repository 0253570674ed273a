import Glibc
import WaybillAPNS
import WaybillCore
import WaybillEncoding

/// Silent pushes whose message does not name the push type: APNs expects `background`.
extension APNSItemBuilder {
    /// Whether a payload wakes the app and shows nothing: `content-available` in `aps`, without `alert`, `badge` and `sound`.
    func isSilent(_ payload: ItemReader.Text) -> Bool {
        guard mayWakeApp(payload), let aps = reader.member("aps", in: payload.range) else {
            return false
        }
        var isAvailable = false
        var isShown = false
        try? reader.forEachMember(in: aps) { (name, value) throws(ItemFault) in
            if reader.isName(name, "content-available") {
                isAvailable = isSet(value)
            } else if reader.isName(name, "alert") || reader.isName(name, "badge") || reader.isName(name, "sound") {
                isShown = true
            }
        }
        return isAvailable && !isShown
    }

    /// Whether a payload has the bytes `content-available`, or a backslash, with which a name may be written otherwise.
    ///
    /// False for most payloads, which so are not read as JSON once more.
    private func mayWakeApp(_ payload: ItemReader.Text) -> Bool {
        let bytes = UnsafeBufferPointer(rebasing: reader.bytes[payload.range])
        guard let start = bytes.baseAddress else { return false }
        if memchr(start, Int32(UInt8(ascii: "\\")), bytes.count) != nil { return true }
        let (front, back): (StaticString, StaticString) = ("content", "-available")
        var position = front.utf8CodeUnitCount
        while position + back.utf8CodeUnitCount <= bytes.count,
            let dash = memchr(start + position, Int32(UInt8(ascii: "-")), bytes.count - position)
        {
            position = dash - UnsafeMutableRawPointer(mutating: start)
            if position + back.utf8CodeUnitCount <= bytes.count,
                memcmp(dash, back.utf8Start, back.utf8CodeUnitCount) == 0,
                memcmp(dash - front.utf8CodeUnitCount, front.utf8Start, front.utf8CodeUnitCount) == 0
            {
                return true
            }
            position += 1
        }
        return false
    }

    /// Apple's 1, and `true`.
    private func isSet(_ value: JSONValue) -> Bool {
        switch value.kind {
        case .true: true
        case .number: JSONNumber.integer(UnsafeBufferPointer(rebasing: reader.bytes[value.range])) == 1
        default: false
        }
    }
}

extension APNSItemBuilder.Settings {
    /// Makes an alert a background push; the topic of both is the same.
    ///
    /// APNs takes priority 5 alone then, so 5 takes the place of any other.
    mutating func becomeBackground() {
        pushType = .background
        isTypeDerived = true
        priority = .normal
        if lifetime.origin != .message { lifetime = .immediate }
        if case .explicit = collapse { return }
        collapse = .none
    }
}
