import WaybillEncoding

/// The path of a request that is about an app.
enum AppPath {
    /// A path with the app's bundle id in it.
    ///
    /// Whatever is not a letter, a digit or one of `-._~` is escaped (RFC 3986 §2.3), so that no id leaves its place.
    static func path(_ prefix: StaticString, _ bundleID: String, _ suffix: StaticString = "") -> String {
        "\(prefix)\(PercentEncoding.encode(bundleID))\(suffix)"
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
