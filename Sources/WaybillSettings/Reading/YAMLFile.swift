import Yams

/// Reads YAML into ``ConfigurationNode``.
///
/// The only file that knows the YAML library.
enum YAMLFile {
    struct SyntaxError: Error {
        let line: Int?
        let reason: String
        /// Whether a section has one key twice.
        var isOfKeys = false
    }

    /// Aliases may multiply a small file into a huge tree; no configuration needs this many nodes.
    private static let mostNodes = 50_000

    /// The tree of the file's one document; `nil` for an empty file.
    static func parse(_ text: String) throws(SyntaxError) -> ConfigurationNode? {
        do {
            return try parse(text, isMasked: false)
        } catch {
            // To the library two keys are one where they are canonically equivalent.
            guard error.isOfKeys, let masked = MaskedText.mask(text), masked != text else { throw error }
            return try parse(masked, isMasked: true)
        }
    }

    private static func parse(_ text: String, isMasked: Bool) throws(SyntaxError) -> ConfigurationNode? {
        let root: Node?
        do {
            root = try Yams.compose(yaml: text)
        } catch let error as YamlError {
            throw SyntaxError(error)
        } catch {
            throw SyntaxError(line: nil, reason: "cannot be read as YAML")
        }
        guard let root else { return nil }
        var budget = mostNodes
        return try convert(root, line: 1, isMasked: isMasked, budget: &budget)
    }

    private static func convert(_ node: Node, line parentLine: Int, isMasked: Bool, budget: inout Int)
        throws(SyntaxError) -> ConfigurationNode
    {
        func plain(_ text: String) -> String { isMasked ? MaskedText.unmask(text) : text }

        let line = node.mark?.line ?? parentLine
        budget -= 1
        guard budget > 0 else {
            throw SyntaxError(line: line, reason: "holds more values than any configuration needs")
        }
        switch node {
        case .scalar(let scalar):
            return ConfigurationNode(
                content: .scalar(text: plain(scalar.string), isPlain: scalar.style == .plain),
                line: line
            )
        case .mapping(let mapping):
            var entries: [ConfigurationNode.Entry] = []
            for (key, value) in mapping {
                let keyLine = key.mark?.line ?? line
                guard let name = key.scalar?.string else {
                    throw SyntaxError(line: keyLine, reason: "a key must be a plain word")
                }
                entries.append(
                    .init(
                        key: plain(name),
                        line: keyLine,
                        value: try convert(value, line: keyLine, isMasked: isMasked, budget: &budget)
                    )
                )
            }
            return ConfigurationNode(content: .mapping(entries), line: line)
        case .sequence(let sequence):
            var elements: [ConfigurationNode] = []
            for element in sequence {
                elements.append(try convert(element, line: line, isMasked: isMasked, budget: &budget))
            }
            return ConfigurationNode(content: .sequence(elements), line: line)
        case .alias:
            throw SyntaxError(line: line, reason: "an alias points nowhere")
        }
    }
}

extension YAMLFile.SyntaxError {
    /// The library's own description repeats the source line, and with it perhaps a password; only its words are kept.
    fileprivate init(_ error: YamlError) {
        switch error {
        case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
            .composer(_, let problem, let mark, _):
            self.init(line: mark.line, reason: "is not YAML: \(problem)")
        case .duplicatedKeysInMapping(let duplicates, let context):
            let names = duplicates.map(MaskedText.unmask).sorted().joined(separator: ", ")
            self.init(line: context.mark.line, reason: "names a key twice in one section: \(names)", isOfKeys: true)
        case .reader(let problem, _, _, _):
            self.init(line: nil, reason: "is not YAML: \(problem)")
        default:
            self.init(line: nil, reason: "cannot be read as YAML")
        }
    }
}
