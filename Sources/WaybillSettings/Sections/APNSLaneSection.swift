import WaybillCore
import WaybillProviders
import WaybillTLS

/// What an entry of `lanes` says of APNs alone.
enum APNSLaneSection {
    static func read(_ section: SectionReader) -> APNSLaneSettings? {
        let environment = section.choice("environment", default: Environment.production)
        let bundleID = section.requiredText(
            "bundle_id",
            "it is the app's bundle id and the topic of its notifications, such as com.example.parcels"
        )
        let credentials = credentials(section)
        let collapse = section.choice("collapse", default: CollapseRule.content)
        if let bundleID, !isBundleID(bundleID) {
            section.error("bundle_id", "may hold letters, digits, dots and dashes, such as com.example.parcels")
        }
        guard let bundleID, let credentials else { return nil }
        return APNSLaneSettings(
            rules: APNSLane(environment: environment, bundleID: bundleID, collapse: collapse),
            credentials: credentials
        )
    }

    private static func isBundleID(_ text: String) -> Bool {
        text.utf8.count <= 155 && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || ".-".contains($0)) }
    }

    // MARK: - Credentials

    /// The two ways a lane can prove itself: a signing key, or a provider certificate.
    private static func credentials(_ section: SectionReader) -> APNSLaneSettings.Credentials? {
        let teamID = section.text("team_id")
        let keyID = section.text("key_id")
        let keyFile = section.filePath("key_file")
        let certificateFile = section.filePath("certificate_file")
        let privateKeyFile = section.filePath("private_key_file")

        let usesCertificate = certificateFile != nil || privateKeyFile != nil
        guard usesCertificate else { return token(section, teamID: teamID, keyID: keyID, keyFile: keyFile) }
        if keyFile != nil {
            section.error("key_file", "contradicts certificate_file: a lane uses a key or a certificate")
            return nil
        }
        guard let certificateFile else {
            section.error("certificate_file", "is missing; private_key_file needs it")
            return nil
        }
        guard let privateKeyFile else {
            section.error("private_key_file", "is missing; certificate_file needs it")
            return nil
        }
        return .certificate(TLSIdentity(certificateFile: certificateFile, privateKeyFile: privateKeyFile))
    }

    private static func token(_ section: SectionReader, teamID: String?, keyID: String?, keyFile: String?)
        -> APNSLaneSettings.Credentials?
    {
        requireIdentifier(section, "team_id", teamID, "the team's id from the Apple developer account")
        requireIdentifier(section, "key_id", keyID, "the id of the key, the part of the file's name after AuthKey_")
        if !section.isPresent("key_file") {
            section.error("key_file", "is missing; it is the .p8 file from the Apple developer account")
        }
        guard let teamID, let keyID, let keyFile else { return nil }
        return .token(teamID: teamID, keyID: keyID, keyFile: keyFile)
    }

    /// Apple's ids are ten letters and digits.
    private static func requireIdentifier(_ section: SectionReader, _ key: String, _ value: String?, _ what: String) {
        guard let value else {
            if !section.isPresent(key) { section.error(key, "is missing; it is \(what)") }
            return
        }
        let isIdentifier = value.utf8.count == 10 && value.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
        if !isIdentifier { section.error(key, "must be ten letters and digits: \(what)") }
    }
}
