/// A message for FCM: whom it is for, what it says, and until when it is of use.
public struct FCMMessage: Sendable {
    /// What a message says.
    public enum Content: Sendable {
        /// Written by the client.
        case typed(FCMContent)
        /// The bytes of a JSON object: Google's `Message` without its target, passed on as they are.
        case ready([UInt8])
    }

    /// Whether a message is sent again of which nobody knows if FCM has it.
    public enum UnknownPolicy: Hashable, Sendable {
        /// It ends as ``FCMError/Fate/unknown``: FCM joins no repeats, so that one would reach the app twice.
        case report
        /// It is sent again, at once, after one second and after five: for apps that drop repeats by an id in `data`.
        case resend
    }

    /// Whom it is for.
    public var target: FCMTarget
    /// What it says.
    public var content: Content
    /// Seconds since 1970 until which the message is of use; `nil` for as long as FCM keeps it, which is 28 days.
    ///
    /// FCM takes a time to live, which is computed anew each time the message is sent. A content that brings a `ttl` of its
    /// own keeps that one.
    public var expiration: Int64?
    /// What to do when no answer comes.
    public var onUnknown = UnknownPolicy.report
    /// Whether it goes ahead of the others that wait in this client, and is not slowed by ``FCMConfiguration/ramp``: for
    /// alerts that must not be missed.
    ///
    /// It counts in ``FCMConfiguration/messagesPerSecond`` like the others, and waits like them when FCM asks to wait. The
    /// phone is woken by the content's priority, not by this.
    public var isUrgent = false
    /// Whether FCM only checks the message, and delivers nothing.
    public var isValidatedOnly = false

    /// Creates a message that the client writes.
    public init(to target: FCMTarget, _ content: FCMContent, expiration: Int64? = nil) {
        self.target = target
        self.content = .typed(content)
        self.expiration = expiration
    }

    /// Creates a message from a ready `Message` object without its target.
    public init(to target: FCMTarget, ready: [UInt8], expiration: Int64? = nil) {
        self.target = target
        content = .ready(ready)
        self.expiration = expiration
    }
}

/// What a message says, as values.
public struct FCMContent: Hashable, Sendable {
    /// How soon an Android phone is to have it.
    public enum Priority: String, Hashable, Sendable {
        /// May wait while the phone sleeps.
        case normal = "NORMAL"
        /// Wakes the phone. For what the user sees; FCM lowers it for an app that uses it for other things.
        case high = "HIGH"
    }

    /// What the system shows, without the app's code, while the app is in the background.
    public struct Notification: Hashable, Sendable {
        /// The first line.
        public var title: String?
        /// The text below it.
        public var body: String?
        /// The address of a picture of at most 1 MB.
        public var image: String?

        /// Creates a notification; FCM takes one with nothing in it, too.
        public init(title: String? = nil, body: String? = nil, image: String? = nil) {
            self.title = title
            self.body = body
            self.image = image
        }
    }

    /// For the app's code: texts under names of the app's own.
    public var data: [String: String]
    /// What the system shows; a message without one reaches the app's code also in the background.
    public var notification: Notification?
    /// Always sent, because Google's pages differ about the default.
    public var priority: Priority
    /// A newer message with the same key replaces an older one that was not delivered; at most four keys for each device.
    public var collapseKey: String?
    /// Whether it may be delivered before the phone was unlocked for the first time after its start.
    public var isDirectBootOK = false
    /// The only app that may have it.
    public var restrictedPackageName: String?
    /// The channel of a notification.
    public var channelID: String?
    /// A name in Google's statistics: 1 to 50 letters, digits and `-_.~%`.
    public var analyticsLabel: String?

    /// Creates a content; a message for the app's code alone where there is no notification.
    public init(data: [String: String] = [:], notification: Notification? = nil, priority: Priority = .normal) {
        self.data = data
        self.notification = notification
        self.priority = priority
    }
}
