import WaybillAPNS

/// What a topic says of its app.
package enum APNSTopic {
    /// What a topic may have behind the bundle id, by Apple's documentation; no one is the end of another.
    package static let suffixes = APNSPushType.known.map(\.topicSuffix).filter { !$0.isEmpty }

    /// The bundle id of a topic: what is in front of a documented suffix.
    ///
    /// A topic without one is the bundle id itself, and so is one that is nothing but a suffix. An app whose own bundle id ends
    /// like a suffix (`com.example.voip`) cannot be told from another one's topic: whoever registers its devices
    /// names it by what this function makes of it.
    ///
    /// - Parameter topic: as it is sent.
    /// - Returns: the app.
    package static func app(of topic: String) -> String {
        guard let suffix = suffix(of: topic) else { return topic }
        return String(decoding: topic.utf8.dropLast(suffix.utf8.count), as: UTF8.self)
    }

    /// The documented suffix of a topic.
    ///
    /// - Parameter topic: as it is sent.
    /// - Returns: with its dot; `nil` for one without, or that is nothing but a suffix.
    package static func suffix(of topic: String) -> String? {
        let bytes = topic.utf8
        return suffixes.first { suffix in
            bytes.count > suffix.utf8.count && bytes.suffix(suffix.utf8.count).elementsEqual(suffix.utf8)
        }
    }
}
