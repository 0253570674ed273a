import WaybillCore
import WaybillProviders

/// `receipts`: what devices may say of their notifications.
enum ReceiptsSection {
    /// - Returns: `nil` where nothing is written, or it cannot be used.
    static func read(_ section: SectionReader) -> ReceiptSettings? {
        defer { section.finish() }
        let keyFile = section.filePath("key_file")
        let lifetime = section.duration(
            "valid_for",
            default: ReceiptSettings.defaultLifetime,
            in: .seconds(3600)...(.seconds(366 * 86_400))
        )
        let retention = section.setting("keep_for").flatMap { setting in
            let period = RetentionPolicy.Period(setting.text)
            if period == nil {
                section.error(
                    "keep_for",
                    "must be whole days, such as 30d, at most \(RetentionPolicy.Period.maximumDays)d, or the word keep"
                )
            }
            return period
        }
        guard section.origin != nil || ["key_file", "valid_for", "keep_for"].contains(where: section.isPresent) else {
            return nil
        }
        if !section.isPresent("key_file") {
            section.error(
                "key_file",
                "is missing; write one with: (umask 077; echo \"k1 $(openssl rand -hex 32)\" >FILE)"
            )
        }
        if !section.isPresent("keep_for") {
            section.error(
                "keep_for",
                "is missing; write for how long receipts are kept, such as 30d, or keep (forever)"
            )
        }
        guard let keyFile, let retention else { return nil }
        let settings = ReceiptSettings(keyFile: keyFile, lifetime: lifetime, retention: retention)
        guard section.isNeeded else { return settings }
        do throws(OwnerOnlyFile.Problem) {
            _ = try settings.readKeys()
        } catch {
            section.error("key_file", error.reason, category: error.category)
        }
        return settings
    }

    /// Lets lanes have what the section makes possible.
    ///
    /// - Parameters:
    ///   - settings: the section.
    ///   - lanes: as they were read.
    ///   - findings: gets an error for each lane that asks for what cannot be.
    static func apply(_ settings: ReceiptSettings?, to lanes: inout [LaneSettings], _ findings: FindingCollector) {
        guard settings == nil else { return }
        for place in lanes.indices {
            if lanes[place].receipts == .byDefault {
                let path = "lanes[\(place)].receipt"
                findings.error(path, findings.origins[path], "needs keys: write a section receipts")
            }
            lanes[place].receipts = .unavailable
        }
    }
}
