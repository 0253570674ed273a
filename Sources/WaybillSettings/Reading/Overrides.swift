import WaybillCore
import WaybillEncoding

/// Values from flags and from the environment, by the path of the setting.
///
/// Only scalar settings outside lists can be overridden. `broker.url` is `WAYBILL_BROKER_URL` in the environment; an
/// empty variable counts as absent.
final class Overrides {
    private static let prefix = "WAYBILL_"
    /// Variables that belong to the commands and the test suite.
    private static let foreign = ["WAYBILL_CONFIG", "WAYBILL_TEST_"]

    private let flags: [ExactName: String]
    private let environment: [String: String]
    private var knownPaths: Set<ExactName> = []

    init(flags: [ExactName: String], environment: [String: String]) {
        self.flags = flags
        self.environment = environment.filter { $0.key.hasPrefix(Self.prefix) && !$0.value.isEmpty }
    }

    /// The value that takes precedence over the file's, and where it came from.
    func value(for path: String) -> (text: String, origin: SettingOrigin)? {
        knownPaths.insert(ExactName(path))
        if let text = flags[path] { return (text, .flag("--set \(path)")) }
        let variable = Self.variable(for: path)
        return environment[variable].map { ($0, .environment(variable)) }
    }

    /// Whether a flag gives any setting of a section.
    func hasFlag(under section: String) -> Bool {
        flags.keys.contains { $0.text.utf8.starts(with: "\(section).".utf8) }
    }

    /// The environment's name for a setting.
    static func variable(for path: String) -> String {
        prefix + path.uppercased().replacing(".", with: "_")
    }

    /// Reports what nobody asked for, once everything has been read.
    ///
    /// A flag that names no setting is an error. A variable is only a warning, and only when it looks like a slip:
    /// container platforms put variables of their own under a service's name.
    func reportUnknown(to findings: FindingCollector) {
        for path in flags.keys.sortedTexts where !knownPaths.containsExactly(path) {
            let hint = NearestName.to(path, among: knownPaths.sortedTexts).map { "; did you mean \($0)?" } ?? ""
            findings.error(path, .flag("--set"), "is not a setting that a flag can give\(hint)")
        }
        let variables = Set(knownPaths.map { Self.variable(for: $0.text) })
        for name in environment.keys.sorted() where !variables.contains(name) {
            guard !Self.foreign.contains(where: name.hasPrefix) else { continue }
            guard let nearest = NearestName.to(name, among: variables) else { continue }
            findings.warning(
                "",
                .environment(name),
                "\(name) is not a setting and is ignored; did you mean \(nearest)?"
            )
        }
    }
}
