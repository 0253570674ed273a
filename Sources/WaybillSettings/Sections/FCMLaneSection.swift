import WaybillProviders

/// What an entry of `lanes` says of FCM alone.
enum FCMLaneSection {
    /// A connection carries about 100 messages at a time, a tenth of what APNs' do.
    static let connections = 10
    private static let mostBytes = 64 * 1024

    static func read(_ section: SectionReader) -> FCMLaneSettings? {
        let named = section.text("project")
        let file = section.filePath("service_account_file")
        if !section.isPresent("service_account_file") {
            section.error(
                "service_account_file",
                "is missing; it is the JSON file with the key of a service account that may send for the Firebase project"
            )
        }
        let rate = messagesPerSecond(section)
        if let named, !isProject(named) {
            section.error("project", "may hold letters, digits, dots, colons, dashes and underscores, at most 128")
            return nil
        }
        guard let file, let project = named ?? ownProject(file, section) else { return nil }
        return FCMLaneSettings(
            rules: FCMLane(project: project),
            serviceAccountFile: file,
            messagesPerSecond: rate
        )
    }

    /// `nil` where the operator leaves it to us.
    private static func messagesPerSecond(_ section: SectionReader) -> Int? {
        let key = "messages_per_second"
        let isThere = section.isPresent(key)
        let rate = section.integer(key, default: FCMLaneSettings.projectRate, in: 1...100_000)
        return isThere ? rate : nil
    }

    /// The project that the key belongs to; who may read the file, ``KeyChecks`` looks at.
    private static func ownProject(_ file: String, _ section: SectionReader) -> String? {
        switch FileContent.read(file, limit: mostBytes) {
        case .failure(let problem):
            section.error(
                "project",
                "is missing, and the key's own cannot be read: \(problem.reason)",
                category: problem.category
            )
            return nil
        case .success(let json):
            do {
                return try FCMKeyFacts(json: json).projectID
            } catch {
                section.error("service_account_file", "\(file): \(error)")
                return nil
            }
        }
    }

    private static func isProject(_ text: String) -> Bool {
        (1...128).contains(text.utf8.count)
            && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || ".:-_".contains($0)) }
    }
}
