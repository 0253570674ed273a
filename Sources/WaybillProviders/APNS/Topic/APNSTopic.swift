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
        let bytes = topic.utf8
        for suffix in suffixes.map(\.utf8) where bytes.count > suffix.count {
            guard bytes.suffix(suffix.count).elementsEqual(suffix) else { continue }
            return String(decoding: bytes.dropLast(suffix.count), as: UTF8.self)
        }
        return topic
    }
}
