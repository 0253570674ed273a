/// Gathers findings while a configuration is read.
///
/// Reading goes on after an error, so that one run shows them all.
final class FindingCollector {
    private(set) var findings: [Finding] = []
    /// Where each setting that was read came from, by path.
    private(set) var origins: [String: SettingOrigin] = [:]

    func add(_ finding: Finding) {
        // A setting may be read twice, and is wrong once.
        guard !findings.contains(finding) else { return }
        findings.append(finding)
    }

    func note(_ path: String, _ origin: SettingOrigin) {
        origins[path] = origin
    }

    func error(
        _ path: String,
        _ origin: SettingOrigin?,
        _ message: String,
        category: Finding.Category = .configuration
    ) {
        add(Finding(.error, category, path: path, origin: origin, message: message))
    }

    func warning(_ path: String, _ origin: SettingOrigin?, _ message: String) {
        add(Finding(.warning, path: path, origin: origin, message: message))
    }
}
