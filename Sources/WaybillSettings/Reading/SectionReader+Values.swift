import WaybillCore
import WaybillEncoding

extension SectionReader {
    /// A text.
    func text(_ key: String) -> String? {
        setting(key)?.text
    }

    /// A text that must be there; `why` tells the operator what to write.
    func requiredText(_ key: String, _ why: String) -> String? {
        guard let text = text(key) else {
            // A value of the wrong kind has been reported already.
            if !isPresent(key) { error(key, "is missing; \(why)") }
            return nil
        }
        return text
    }

    /// A whole number within limits.
    func integer(_ key: String, default fallback: Int, in range: ClosedRange<Int>) -> Int {
        guard let setting = setting(key) else { return fallback }
        guard setting.isPlain, let number = Int(setting.text) else {
            error(key, "must be a whole number, such as \(fallback)")
            return fallback
        }
        guard range.contains(number) else {
            error(key, "is \(number), allowed: \(range.lowerBound) to \(range.upperBound)")
            return fallback
        }
        return number
    }

    /// `true` or `false`.
    func boolean(_ key: String, default fallback: Bool) -> Bool {
        guard let setting = setting(key) else { return fallback }
        guard setting.isPlain, let value = Bool(setting.text) else {
            error(key, "must be true or false")
            return fallback
        }
        return value
    }

    /// A duration within limits.
    func duration(_ key: String, default fallback: Duration, in range: ClosedRange<Duration>) -> Duration {
        guard let setting = setting(key) else { return fallback }
        return duration(setting, in: range) ?? fallback
    }

    /// The duration that a setting holds; reports and answers `nil` when it holds none.
    func duration(_ setting: Setting, in range: ClosedRange<Duration>) -> Duration? {
        guard let duration = DurationText.parse(setting.text) else {
            findings.error(
                setting.path,
                setting.origin,
                "must be \(DurationText.form()), such as \(DurationText.text(range.upperBound))"
            )
            return nil
        }
        guard range.contains(duration) else {
            let limits = "\(DurationText.text(range.lowerBound)) to \(DurationText.text(range.upperBound))"
            findings.error(setting.path, setting.origin, "is \(setting.text), allowed: \(limits)")
            return nil
        }
        return duration
    }

    /// One of a few words.
    func choice<Choice>(_ key: String, default fallback: Choice) -> Choice
    where Choice: CaseIterable & RawRepresentable<String> {
        guard let setting = setting(key) else { return fallback }
        if let choice = Choice(rawValue: setting.text) { return choice }
        let words = Choice.allCases.map(\.rawValue)
        let hint = NearestName.to(setting.text, among: words).map { "; did you mean \($0)?" } ?? ""
        error(key, "must be one of \(words.joined(separator: ", "))\(hint)")
        return fallback
    }

    /// The path of a file.
    ///
    /// A relative path in the file starts from the file's own folder, elsewhere from the
    /// working folder.
    func filePath(_ key: String) -> String? {
        guard let setting = setting(key) else { return nil }
        guard setting.isFromFile, !setting.text.hasPrefix("/"), !file.folder.isEmpty else { return setting.text }
        return "\(file.folder)/\(setting.text)"
    }

    /// A secret from `<key>`, or from the owner-only file that `<key>_file` names.
    ///
    /// A flag is refused: other users can see a command's arguments.
    func secret(_ key: String) -> Secret? {
        let setting = setting(key)
        let fileKey = "\(key)_file"
        let path = filePath(fileKey)
        if case .flag = setting?.origin {
            error(key, "must not be given by a flag, which other users can see; use \(fileKey) or the environment")
            return nil
        }
        // The environment may replace a file's way of giving the secret, so only equals contradict each other.
        if let setting, path != nil, setting.isFromFile, case .file = origin(of: fileKey) {
            error(fileKey, "contradicts \(key): give one of the two")
            return nil
        }
        if let setting, !(setting.isFromFile && path != nil) {
            refuseExposedSecret(key, "the secret", instead: fileKey)
            return Secret(setting.text)
        }
        guard let path, isNeeded else { return nil }
        switch OwnerOnlyFile.read(path, limit: 64 * 1024) {
        case .failure(let problem):
            error(fileKey, problem.reason, category: problem.category)
            return nil
        case .success(let bytes):
            let line = ByteOrderMark.removed(from: bytes).prefix {
                $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r")
            }
            guard let text = String(validating: line, as: UTF8.self), !text.isEmpty else {
                error(fileKey, "\(path) must hold the secret as UTF-8 text in its first line")
                return nil
            }
            return Secret(text)
        }
    }

    /// Refuses a secret where others can see it: on a command line, or in a file that they can read.
    ///
    /// - Parameters:
    ///   - key: the setting that holds it.
    ///   - what: the secret, for the finding.
    ///   - instead: where to put it.
    func refuseExposedSecret(_ key: String, _ what: String, instead: String) {
        switch origin(of: key) {
        case .flag:
            error(key, "must not hold \(what): other users can see a command's arguments; use \(instead)")
        case .file:
            guard file.isReadableByOthers, let path = file.path else { return }
            error(
                key,
                "holds \(what), and others can read the file; run: chmod 600 \(path), or use \(instead)",
                category: .permission
            )
        case .environment, nil: break
        }
    }
}
