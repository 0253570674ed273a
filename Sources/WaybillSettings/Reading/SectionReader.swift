import WaybillCore
import WaybillEncoding

/// Reads one section of the configuration: each setting is asked for by name, and ``finish()`` reports the rest.
///
/// Every accessor reports what is wrong and then answers with the default or `nil`, so that one run shows all findings.
/// What is read must not be used when there were errors.
final class SectionReader {
    /// The section's path; empty for the root.
    let path: String
    /// The line of the section's key; `nil` when the file has no such section.
    let line: Int?
    let findings: FindingCollector
    /// The file that the section stands in.
    let file: ConfigurationFile
    /// Whether the command at hand works with this section; secrets of others are not read.
    let isNeeded: Bool
    /// `nil` inside lists, where a path would not be stable.
    private let overrides: Overrides?
    private let entries: [ConfigurationNode.Entry]
    private var knownKeys: [String] = []

    init(
        path: String,
        node: ConfigurationNode?,
        line: Int?,
        file: ConfigurationFile,
        isNeeded: Bool = true,
        overrides: Overrides?,
        findings: FindingCollector
    ) {
        self.path = path
        self.line = line
        self.file = file
        self.isNeeded = isNeeded
        self.overrides = overrides
        self.findings = findings
        switch node?.content {
        case .mapping(let entries): self.entries = entries
        case nil: entries = []
        case .scalar, .sequence:
            entries = []
            if let node, !node.isNull {
                findings.error(path, .file(line: node.line), "must be a section with keys, not \(node.kind)")
            }
        }
    }

    /// The path of a setting of this section.
    func path(of key: String) -> String { path.isEmpty ? key : "\(path).\(key)" }

    /// Where the section stands.
    var origin: SettingOrigin? { line.map { .file(line: $0) } }

    /// Where a setting's value comes from; the section itself when it has none.
    func origin(of key: String) -> SettingOrigin? {
        overrides?.value(for: path(of: key))?.origin ?? entry(key).map { .file(line: $0.line) } ?? origin
    }

    /// Whether the setting is written anywhere, whatever its kind.
    func isPresent(_ key: String) -> Bool {
        overrides?.value(for: path(of: key)) != nil || entry(key) != nil
    }

    /// Reports an error about a setting of this section.
    func error(_ key: String, _ message: String, category: Finding.Category = .configuration) {
        findings.error(path(of: key), origin(of: key), message, category: category)
    }

    /// Reports a warning about a setting of this section.
    func warning(_ key: String, _ message: String) {
        findings.warning(path(of: key), origin(of: key), message)
    }

    /// Reports every key that was not asked for.
    ///
    /// Call it last.
    func finish() {
        for entry in entries where !knownKeys.containsExactly(entry.key) {
            let hint =
                NearestName.to(entry.key, among: knownKeys).map { "did you mean \($0)?" }
                ?? "known here: \(knownKeys.sorted().joined(separator: ", "))"
            findings.error(path(of: entry.key), .file(line: entry.line), "unknown key; \(hint)")
        }
    }

    // MARK: Structure

    /// A section inside this one; empty when the file has none, because the environment may still fill it.
    ///
    /// What is written is examined; a section that the command does not need may be absent as a whole.
    func section(_ key: String, isNeeded: Bool = true) -> SectionReader {
        let entry = known(key)
        let isGiven = entry != nil || overrides?.hasFlag(under: path(of: key)) == true
        return SectionReader(
            path: path(of: key),
            node: entry?.value,
            line: entry?.line,
            file: file,
            isNeeded: isNeeded && self.isNeeded,
            overrides: overrides,
            findings: isNeeded || isGiven ? findings : FindingCollector()
        )
    }

    /// Whether the setting is written as a section; a single value from a flag or the environment takes its place.
    func isSection(_ key: String) -> Bool {
        guard overrides?.value(for: path(of: key)) == nil, case .mapping? = entry(key)?.value.content else {
            return false
        }
        return true
    }

    /// A list of sections; `nil` when the file has no such key.
    func sections(_ key: String) -> [SectionReader]? {
        guard let entry = known(key), !entry.value.isNull else { return nil }
        guard case .sequence(let elements) = entry.value.content else {
            error(key, "must be a list of sections, each beginning with a dash, not \(entry.value.kind)")
            return []
        }
        return elements.enumerated().map { position, element in
            SectionReader(
                path: "\(path(of: key))[\(position)]",
                node: element,
                line: element.line,
                file: file,
                isNeeded: isNeeded,
                overrides: nil,
                findings: findings
            )
        }
    }

    /// The values of a section whose keys are free, such as client names.
    func freeValues() -> [(key: String, setting: Setting)] {
        entries.compactMap { entry in
            knownKeys.append(entry.key)
            return scalar(entry).map { (entry.key, $0) }
        }
    }

    /// The sections of a section whose keys are free, such as client names.
    func freeSections() -> [(key: String, section: SectionReader)] {
        entries.map { ($0.key, section($0.key)) }
    }

    /// Several values: a list in the file, or one text with commas in the environment.
    func list(_ key: String) -> [Setting]? {
        let entry = known(key)
        let settingPath = path(of: key)
        if let override = overrides?.value(for: settingPath) {
            return override.text.split(separator: ",", omittingEmptySubsequences: false).map { part in
                Setting(path: settingPath, origin: override.origin, text: part.trimmed, isPlain: true)
            }
        }
        guard let entry, !entry.value.isNull else { return nil }
        guard case .sequence(let elements) = entry.value.content else {
            error(key, "must be a list, not \(entry.value.kind)")
            return nil
        }
        return elements.enumerated().compactMap { position, element in
            scalar(.init(key: "\(key)[\(position)]", line: element.line, value: element))
        }
    }

    // MARK: Values

    /// A scalar setting with its origin, from the first of flag, environment and file that has it.
    func setting(_ key: String) -> Setting? {
        let entry = known(key)
        let settingPath = path(of: key)
        if let override = overrides?.value(for: settingPath) {
            findings.note(settingPath, override.origin)
            return Setting(path: settingPath, origin: override.origin, text: override.text, isPlain: true)
        }
        return entry.flatMap(scalar)
    }

    private func scalar(_ entry: ConfigurationNode.Entry) -> Setting? {
        let place = SettingOrigin.file(line: entry.line)
        findings.note(path(of: entry.key), place)
        guard case .scalar(let text, let isPlain) = entry.value.content else {
            findings.error(path(of: entry.key), place, "must be a single value, not \(entry.value.kind)")
            return nil
        }
        guard !entry.value.isNull, !text.isEmpty else {
            findings.error(path(of: entry.key), place, "has no value; give one, or remove the key")
            return nil
        }
        return Setting(path: path(of: entry.key), origin: place, text: text, isPlain: isPlain)
    }

    private func known(_ key: String) -> ConfigurationNode.Entry? {
        knownKeys.append(key)
        return entry(key)
    }

    private func entry(_ key: String) -> ConfigurationNode.Entry? {
        entries.first { $0.key.isExactly(key) }
    }
}

extension Substring {
    /// Without spaces at the ends.
    fileprivate var trimmed: String {
        let start = drop { $0 == " " }
        return String(start.reversed().drop { $0 == " " }.reversed())
    }
}
