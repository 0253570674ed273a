/// The `apns-push-type` of a notification: an open set, because Apple adds types.
///
/// Source: Apple, "Sending notification requests to APNs", and the pages on ActivityKit and WidgetKit pushes.
public struct APNSPushType: RawRepresentable, Hashable, Sendable {
    /// The header's value.
    public let rawValue: String

    /// Creates a push type from the header's value, known or not.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// An alert, a sound or a badge.
    public static let alert = Self(rawValue: "alert")
    /// A silent update; only priority 5 (or 1) is allowed.
    public static let background = Self(rawValue: "background")
    /// A watchOS complication's update.
    public static let complication = Self(rawValue: "complication")
    /// A control's reload (iOS 18).
    public static let controls = Self(rawValue: "controls")
    /// A File Provider signal.
    public static let fileProvider = Self(rawValue: "fileprovider")
    /// A Live Activity's start, update or end.
    public static let liveActivity = Self(rawValue: "liveactivity")
    /// A location query; token authentication only.
    public static let location = Self(rawValue: "location")
    /// A mobile device management wake-up; the topic is the certificate's own.
    public static let mdm = Self(rawValue: "mdm")
    /// A Push to Talk notification.
    public static let pushToTalk = Self(rawValue: "pushtotalk")
    /// An incoming call.
    public static let voip = Self(rawValue: "voip")
    /// A widget's reload.
    public static let widgets = Self(rawValue: "widgets")

    /// The types that Apple documents.
    public static let known: [Self] = [
        .alert, .background, .complication, .controls, .fileProvider, .liveActivity, .location, .mdm, .pushToTalk,
        .voip, .widgets,
    ]

    /// What is appended to the bundle id to make the topic; empty for a type that is not known.
    public var topicSuffix: String {
        switch self {
        case .complication: ".complication"
        case .controls: ".push-type.controls"
        case .fileProvider: ".pushkit.fileprovider"
        case .liveActivity: ".push-type.liveactivity"
        case .location: ".location-query"
        case .pushToTalk: ".voip-ptt"
        case .voip: ".voip"
        case .widgets: ".push-type.widgets"
        default: ""
        }
    }

    /// The topic of a push of this type to an app, when no other is given: the bundle id with the type's suffix.
    ///
    /// A type that is not known has no suffix. For ``mdm`` the bundle id is not the topic: that is the UID in the subject
    /// of the MDM push certificate.
    public func topic(for bundleID: String) -> String {
        let suffix = topicSuffix
        return suffix.isEmpty ? bundleID : bundleID + suffix
    }

    /// The largest payload that APNs takes for the type, in bytes of UTF-8.
    public var maximumPayloadSize: Int {
        self == .voip ? 5120 : 4096
    }

    /// The priority to send when the caller names none: 5 for background pushes, else 10.
    public var defaultPriority: Int {
        self == .background ? 5 : 10
    }
}
