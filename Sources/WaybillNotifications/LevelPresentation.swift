package import WaybillAccounts
package import WaybillEncoding

/// How a phone shows a level: whether it lights the screen, how high it stands in a summary, and whether it is heard.
package struct LevelPresentation: Hashable, Sendable {
    /// What the phone plays.
    enum Sound: Hashable, Sendable {
        case none
        case standard
        /// At full volume, whatever the phone is set to: the app needs Apple's leave for it.
        case critical
    }

    /// APNs' `interruption-level`.
    let interruption: Interruption
    /// APNs' `relevance-score`, from 0 to 1.
    let relevance: Double
    let sound: Sound

    package init(_ level: NotificationLevel) {
        switch level {
        case .info: self.init(.active, relevance: 0.3, .none)
        case .warning: self.init(.active, relevance: 0.6, .standard)
        case .error: self.init(.timeSensitive, relevance: 1, .standard)
        case .critical: self.init(.critical, relevance: 1, .critical)
        }
    }

    private init(_ interruption: Interruption, relevance: Double, _ sound: Sound) {
        self.interruption = interruption
        self.relevance = relevance
        self.sound = sound
    }

    /// APNs' words.
    enum Interruption: String, Sendable {
        case active
        case timeSensitive = "time-sensitive"
        case critical
    }

    /// Writes it as members of a dispatch message.
    func appendFields(to json: inout JSONWriter) {
        if sound != .none { json.member("sound", "default") }
        switch interruption {
        case .active:
            json.member("delivery_type", "normal")
            json.member("interruption_level", interruption.rawValue)
        // Their delivery types say how they interrupt.
        case .timeSensitive: json.member("delivery_type", "time_sensitive")
        case .critical: json.member("delivery_type", "critical")
        }
        json.member("relevance_score", relevance)
    }

    /// Writes its members of `aps`.
    package func append(to json: inout JSONWriter) {
        json.member("interruption-level", interruption.rawValue)
        json.member("relevance-score", relevance)
        switch sound {
        case .none: break
        case .standard: json.member("sound", "default")
        case .critical:
            json.beginObject("sound")
            json.member("critical", 1)
            json.member("name", "default")
            json.member("volume", 1)
            json.endObject()
        }
    }
}
