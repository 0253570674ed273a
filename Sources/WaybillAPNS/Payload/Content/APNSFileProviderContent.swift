import WaybillEncoding

/// Tells a File Provider extension that a container has changed.
///
/// The keys stand at the top level, without `aps`: `{"container-identifier":"…","domain":"…"}`. Source: Apple, "Using
/// push notifications to signal changes".
public struct APNSFileProviderContent: APNSContent, Hashable {
    /// ``APNSPushType/fileProvider``.
    public static var pushType: APNSPushType { .fileProvider }

    /// `container-identifier`: the container, for instance `NSFileProviderWorkingSetContainerItemIdentifier`.
    public var containerIdentifier: String
    /// `domain`: the domain's identifier; `nil` when the extension has none.
    public var domain: String?

    /// Creates content.
    public init(containerIdentifier: String, domain: String? = nil) {
        self.containerIdentifier = containerIdentifier
        self.domain = domain
    }

    /// Writes the two keys, and the members of the caller's object beside them.
    public func payload(custom: APNSJSON?) throws(APNSError) -> APNSPayload {
        try ContentCheck.text(containerIdentifier, "container-identifier")
        return try APNSPayload(Self.pushType, custom: custom, own: ["container-identifier", "domain"]) { json in
            json.member("container-identifier", containerIdentifier)
            json.member("domain", domain)
        }
    }
}

extension APNSContent where Self == APNSFileProviderContent {
    /// A File Provider signal.
    public static func fileProvider(containerIdentifier: String, domain: String? = nil) -> Self {
        Self(containerIdentifier: containerIdentifier, domain: domain)
    }
}
