import WaybillEncoding

/// A text of a Live Activity's alert: as it is, or as the device's language has it.
public enum APNSText: Hashable, Sendable {
    /// A text as it is.
    case plain(String)
    /// A text of the app's `Localizable.strings`; written as a dictionary of `loc-key` and `loc-args`.
    case localized(APNSLocalizedText)
}

extension APNSText: ExpressibleByStringInterpolation {
    /// Creates a text as it is.
    public init(stringLiteral text: String) {
        self = .plain(text)
    }
}

/// The alert that a start, an update or an end of a Live Activity shows as well.
///
/// Source: Apple, "Starting and updating Live Activities with ActivityKit push notifications".
public struct APNSLiveActivityAlert: Hashable, Sendable {
    /// `title`.
    public var title: APNSText
    /// `body`.
    public var body: APNSText
    /// `sound`: a file of the app's, or `default`.
    public var sound: String?

    /// Creates an alert from texts that may be localized.
    public init(title: APNSText, body: APNSText, sound: String? = nil) {
        self.title = title
        self.body = body
        self.sound = sound
    }

    /// Creates an alert from texts as they are.
    public init(title: String, body: String, sound: String? = nil) {
        self.init(title: .plain(title), body: .plain(body), sound: sound)
    }
}

extension JSONWriter {
    mutating func member(_ name: StaticString, _ alert: APNSLiveActivityAlert?) {
        guard let alert else { return }
        beginObject(name)
        member("title", alert.title)
        member("body", alert.body)
        member("sound", alert.sound)
        endObject()
    }

    private mutating func member(_ name: StaticString, _ text: APNSText) {
        switch text {
        case .plain(let text):
            member(name, text)
        case .localized(let text):
            beginObject(name)
            member("loc-key", text.key)
            member("loc-args", text.argumentsToWrite)
            endObject()
        }
    }
}
