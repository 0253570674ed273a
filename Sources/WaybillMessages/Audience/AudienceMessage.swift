import WaybillCore

/// One content for the devices that somebody names by people, devices or an app, rather than by tokens
/// (`schemas/audience-message.schema.json`).
package struct AudienceMessage: Hashable, Sendable {
    /// Names it, its record, and the batch of all its notifications: 1 to 255 bytes without control characters.
    package var id: String
    package var client: String
    /// Those that its devices may take; empty: any.
    ///
    /// Each device takes the first one of its provider, app and environment.
    package var lanes: [String]
    /// The members that a dispatch message has beside its tokens, as they stand between the braces: what is sent, and how.
    package var content: [UInt8]
    package var selection: AudienceSelection
    /// When it begins, in milliseconds since 1970; `nil` for at once.
    package var at: Int64?
    /// An order for a batch of this name ends it, too; other audiences may have the same.
    package var cancelKey: String?
    /// How fast its notifications are handed over at most; `nil`: as fast as they are taken.
    package var throttle: AudienceThrottle?

    package init(
        id: String,
        client: String,
        lanes: [String] = [],
        content: [UInt8],
        selection: AudienceSelection,
        at: Int64? = nil,
        cancelKey: String? = nil,
        throttle: AudienceThrottle? = nil
    ) {
        self.id = id
        self.client = client
        self.lanes = lanes
        self.content = content
        self.selection = selection
        self.at = at
        self.cancelKey = cancelKey
        self.throttle = throttle
    }
}

/// Which devices of an app, or of several that are one to their users: those that may be pushed to, and are meant.
package struct AudienceSelection: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        /// All that match.
        case filter(AudienceFilter)
        /// Those on which one of these users is.
        case users([String])
        /// Those with one of these ids of the app's own.
        case devices([String])
    }

    /// As the registry names them: bundle ids, and projects at FCM; at least one.
    package var apps: [String]
    package var kind: Kind

    /// - Precondition: there is an app.
    package init(apps: [String], kind: Kind) {
        precondition(!apps.isEmpty, "an audience of no app")
        self.apps = apps
        self.kind = kind
    }

    package init(app: String, kind: Kind) {
        self.init(apps: [app], kind: kind)
    }
}

/// What must hold for a device; what is empty or `nil` asks nothing.
package struct AudienceFilter: Hashable, Sendable {
    /// It has all of these.
    package var tags: [String] = []
    /// Its locale is one of these, or one of their regions: `de` means `de-AT`, too.
    ///
    /// In their canonical form.
    package var locales: [String] = []
    /// Its time zone is one of these.
    package var timeZones: [String] = []
    /// Its time zone is none of these, or not known.
    package var otherTimeZones: [String] = []
    /// Its app's version is this or a later one, by its leading numbers.
    package var versionFrom: [Int]?
    /// Its app's version is an earlier one.
    package var versionBelow: [Int]?
    /// The app has spoken of it then or later, in milliseconds since 1970.
    package var seenSince: Int64?
    /// The app has spoken of it before that last, in milliseconds since 1970.
    package var seenBefore: Int64?

    package init() {}

    package var isEmpty: Bool { self == AudienceFilter() }

    /// A version's leading numbers, as in `2.10.1` (``AppVersion``).
    ///
    /// - Returns: `nil` for a text without, and for more than are compared.
    package static func version(_ text: String) -> [Int]? {
        guard let numbers = AppVersion.numbers(text), numbers.count <= AppVersion.most else { return nil }
        return numbers
    }
}

/// What an audience message may have at most; `schemas/audience-message.schema.json` says the same.
package enum AudienceLimits {
    package static let bodyBytes = 1 << 20
    package static let nameBytes = BatchName.mostBytes
    /// Users, or devices, that one message names.
    package static let names = 1000
    package static let nameCharacters = 256
    /// Apps that one message selects, and lanes that it names.
    package static let apps = 16
    package static let tags = 64
    /// Locales, and time zones.
    package static let places = 500
    /// Time zones that are left out.
    package static let otherPlaces = 1000
    package static let placeCharacters = 64
    /// Notifications a minute.
    package static let perMinute = 1...60_000_000
    /// How far ahead a message may begin: a year.
    package static let ahead = Duration.seconds(366 * 86_400)
}
