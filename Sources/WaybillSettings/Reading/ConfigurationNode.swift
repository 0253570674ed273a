/// A node of the configuration file with its line, free of the YAML library.
struct ConfigurationNode {
    indirect enum Content {
        /// `isPlain` tells `5` from `"5"`.
        case scalar(text: String, isPlain: Bool)
        case mapping([Entry])
        case sequence([ConfigurationNode])
    }

    struct Entry {
        let key: String
        /// The line of the key.
        let line: Int
        let value: ConfigurationNode
    }

    var content: Content
    /// Counted from 1.
    var line: Int

    /// What the node is, for messages.
    var kind: String {
        switch content {
        case .scalar: "a value"
        case .mapping: "a section"
        case .sequence: "a list"
        }
    }

    /// Whether the node is an absent value: `key:` with nothing behind it, `~` or `null`.
    var isNull: Bool {
        guard case .scalar(let text, isPlain: true) = content else { return false }
        return ["", "~", "null", "Null", "NULL"].contains(text)
    }
}
