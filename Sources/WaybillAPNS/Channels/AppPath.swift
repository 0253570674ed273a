import WaybillEncoding

/// The path of a request that is about an app.
enum AppPath {
    /// A path with the app's bundle id in it.
    ///
    /// Whatever is not a letter, a digit or one of `-._~` is escaped (RFC 3986 §2.3), so that no id leaves its place.
    static func path(_ prefix: StaticString, _ bundleID: String, _ suffix: StaticString = "") -> String {
        var path = Array("\(prefix)".utf8)
        for byte in bundleID.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                path.append(byte)
            default:
                path.append(UInt8(ascii: "%"))
                path.append(Hexadecimal.digit(byte >> 4))
                path.append(Hexadecimal.digit(byte & 15))
            }
        }
        return String(decoding: path, as: UTF8.self) + "\(suffix)"
    }
}

extension APNSRequest {
    /// A request that is no device push.
    init(_ exchange: APNSExchange, body: [UInt8], id: APNSID, expiration: APNSExpiration, resendsUnknown: Bool) {
        self.init(
            index: 0,
            deviceToken: [],
            payload: body[...],
            topic: "",
            pushType: .liveActivity,
            priority: APNSPriority.immediate.rawValue,
            expiration: expiration,
            apnsID: id,
            collapseID: .none,
            resendsUnknown: resendsUnknown,
            exchange: exchange
        )
    }
}
