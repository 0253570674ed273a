import WaybillEncoding

/// What an alert shows: a text alone, or a dictionary with title, subtitle and body.
///
/// A text alone is written as a string: `APNSAlert("It is here")`, or a literal. Everything else is written as a
/// dictionary. A text and its localized form may both be given; the device then prefers the localized one.
///
/// Source: Apple, "Generating a remote notification", the keys of the `alert` dictionary.
public struct APNSAlert: Hashable, Sendable {
    /// `title`: what the notification is about, in a few words.
    public var title: String?
    /// `subtitle`: further words under the title.
    public var subtitle: String?
    /// `body`: the message.
    public var body: String?
    /// `title-loc-key`, `title-loc-args`: the title as the device's language has it.
    public var localizedTitle: APNSLocalizedText?
    /// `subtitle-loc-key`, `subtitle-loc-args`: the subtitle as the device's language has it.
    public var localizedSubtitle: APNSLocalizedText?
    /// `loc-key`, `loc-args`: the message as the device's language has it.
    public var localizedBody: APNSLocalizedText?
    /// `launch-image`: the file to show while the app starts.
    public var launchImage: String?
    /// `action`: the label of the button, Safari web push only.
    public var action: String?
    /// `action-loc-key`: the key of the button's label, of old.
    public var actionLocKey: String?
    /// `summary-arg`: what a group's summary says about this one, of old.
    public var summaryArgument: String?
    /// `summary-arg-count`: for how many items this one stands in a summary, of old.
    public var summaryArgumentCount: Int?

    /// Whether a body alone is written as a string.
    private var isText = false

    /// Creates an alert that is a text alone, written as a string.
    public init(_ text: String) {
        body = text
        isText = true
    }

    /// Creates an alert that is written as a dictionary; rarer keys are set afterwards.
    public init(
        title: String? = nil,
        subtitle: String? = nil,
        body: String? = nil,
        localizedTitle: APNSLocalizedText? = nil,
        localizedSubtitle: APNSLocalizedText? = nil,
        localizedBody: APNSLocalizedText? = nil,
        launchImage: String? = nil
    ) {
        self.title = title
        self.subtitle = subtitle
        self.body = body
        self.localizedTitle = localizedTitle
        self.localizedSubtitle = localizedSubtitle
        self.localizedBody = localizedBody
        self.launchImage = launchImage
    }

    /// The text, when there is nothing else.
    var textAlone: String? {
        guard isText, let body, self == Self(body) else { return nil }
        return body
    }

    /// - Throws: a refusal of an alert that says nothing.
    func check() throws(APNSError) {
        if self == Self() { throw .invalid("aps.alert", "is an empty dictionary") }
        // An empty text beside others may be meant; with nothing else there is nothing to show.
        var rest = self
        for text in [\Self.title, \Self.subtitle, \Self.body] where rest[keyPath: text] == "" {
            rest[keyPath: text] = nil
        }
        rest.isText = false
        if rest == Self() { throw .invalid("aps.alert", "is empty") }
    }
}

extension APNSAlert: ExpressibleByStringInterpolation {
    /// Creates an alert that is a text alone, written as a string.
    public init(stringLiteral text: String) {
        self.init(text)
    }
}

extension JSONWriter {
    mutating func member(_ name: StaticString, _ alert: APNSAlert?) {
        guard let alert else { return }
        if let text = alert.textAlone { return member(name, text) }
        beginObject(name)
        member("title", alert.title)
        member("subtitle", alert.subtitle)
        member("body", alert.body)
        member("launch-image", alert.launchImage)
        member("title-loc-key", alert.localizedTitle?.key)
        member("title-loc-args", alert.localizedTitle?.argumentsToWrite)
        member("subtitle-loc-key", alert.localizedSubtitle?.key)
        member("subtitle-loc-args", alert.localizedSubtitle?.argumentsToWrite)
        member("loc-key", alert.localizedBody?.key)
        member("loc-args", alert.localizedBody?.argumentsToWrite)
        member("action", alert.action)
        member("action-loc-key", alert.actionLocKey)
        member("summary-arg", alert.summaryArgument)
        member("summary-arg-count", alert.summaryArgumentCount)
        endObject()
    }
}
