import Glibc
import WaybillCore
import WaybillProviders
import WaybillTLS

/// Examines the files that lanes name: there, readable by nobody else, and what they should be.
///
/// Touches the file system only. Each lane yields one finding per file, good ones included.
package enum KeyChecks {
    private static let mostBytes = 256 * 1024

    /// The findings about all files, in the order of the configuration.
    ///
    /// - Parameters:
    ///   - configuration: what to examine.
    ///   - role: whose files matter; `send` knows lanes by their names alone.
    ///   - origins: where its settings stand, for the findings.
    /// - Returns: one finding for each file; a certificate and its key count as one.
    package static func run(
        _ configuration: ConfigurationSections,
        role: ConfigurationRole = .all,
        origins: [String: SettingOrigin] = [:]
    ) -> [Finding] {
        files(configuration, role).map { finding in
            var finding = finding
            finding.origin = origins[finding.path]
            return finding
        }
    }

    private static func files(_ configuration: ConfigurationSections, _ role: ConfigurationRole) -> [Finding] {
        var findings: [Finding] = []
        if let broker = configuration.broker, role.needs(.broker) {
            if let caFile = broker.caFile { findings.append(trust(caFile, path: "broker.ca_file")) }
            if role.asksManagement, let caFile = broker.management?.caFile {
                findings.append(trust(caFile, path: "broker.management.ca_file"))
            }
            if let certificateFile = broker.certificateFile, let privateKeyFile = broker.privateKeyFile {
                let identity = TLSIdentity(certificateFile: certificateFile, privateKeyFile: privateKeyFile)
                findings.append(certificate(identity, path: "broker"))
            }
        }
        if let store = configuration.store, role.needs(.store) {
            if let caFile = store.caFile { findings.append(trust(caFile, path: "store.ca_file")) }
            if let certificateFile = store.certificateFile {
                let keyFile = store.privateKeyFile ?? certificateFile
                findings.append(
                    certificate(TLSIdentity(certificateFile: certificateFile, privateKeyFile: keyFile), path: "store")
                )
            }
        }
        if let receipts = configuration.receipts, role.readsReceiptKeys { findings.append(receiptKeys(receipts)) }
        guard role.needs(.lanes), role != .send else { return findings }
        for (position, lane) in configuration.lanes.enumerated() {
            let prefix = "lanes[\(position)]"
            switch lane.provider {
            case .apns(let apns): findings.append(credentials(apns.credentials, path: prefix))
            case .fcm(let fcm):
                findings.append(serviceAccount(fcm, path: "\(prefix).service_account_file"))
            }
            if let trustFile = lane.trustFile {
                findings.append(trust(trustFile, path: "\(prefix).trust_file"))
            }
        }
        return findings
    }

    private static func receiptKeys(_ receipts: ReceiptSettings) -> Finding {
        let path = "receipts.key_file"
        do throws(OwnerOnlyFile.Problem) {
            let keys = try receipts.readKeys()
            let others = keys.ids.dropFirst().map { ", and \($0), which only checks them" }.joined()
            return Finding(
                .ok,
                path: path,
                message: "\(receipts.keyFile) holds \(keys.ids[0]), which makes capabilities\(others)"
            )
        } catch {
            return Finding(.error, error.category, path: path, message: error.reason)
        }
    }

    private static func credentials(_ credentials: APNSLaneSettings.Credentials, path: String) -> Finding {
        switch credentials {
        case .token(_, let keyID, let keyFile): signingKey(keyFile, keyID: keyID, path: "\(path).key_file")
        case .certificate(let identity): certificate(identity, path: path)
        }
    }

    private static func signingKey(_ file: String, keyID: String, path: String) -> Finding {
        switch OwnerOnlyFile.read(file, limit: mostBytes) {
        case .failure(let problem):
            return Finding(.error, problem.category, path: path, message: problem.reason)
        case .success(let pem):
            do throws(TLSError) {
                _ = try ES256PrivateKey(pem: pem)
                return Finding(.ok, path: path, message: "\(file) is a P-256 key, id \(keyID)")
            } catch {
                return Finding(
                    .error,
                    path: path,
                    message: "\(file) is not a P-256 private key in PEM form, as Apple's .p8 files are (\(error))"
                )
            }
        }
    }

    private static func serviceAccount(_ lane: FCMLaneSettings, path: String) -> Finding {
        let file = lane.serviceAccountFile
        switch OwnerOnlyFile.read(file, limit: mostBytes) {
        case .failure(let problem):
            return Finding(.error, problem.category, path: path, message: problem.reason)
        case .success(let json):
            do {
                let key = try FCMKeyFacts(json: json)
                let own = key.projectID == lane.rules.project ? "" : ", to send for the project \(lane.rules.project)"
                return Finding(
                    .ok,
                    path: path,
                    message: "\(file) is key \(key.keyID) of \(key.clientEmail)\(own)"
                )
            } catch {
                return Finding(.error, path: path, message: "\(file): \(error)")
            }
        }
    }

    private static func certificate(_ identity: TLSIdentity, path: String) -> Finding {
        if case .files(let certificateFile, let privateKeyFile) = identity.source {
            if case .failure(let problem) = FileContent.read(certificateFile, limit: mostBytes) {
                return Finding(.error, problem.category, path: "\(path).certificate_file", message: problem.reason)
            }
            if case .failure(let problem) = OwnerOnlyFile.read(privateKeyFile, limit: mostBytes) {
                return Finding(.error, problem.category, path: "\(path).private_key_file", message: problem.reason)
            }
        }
        do throws(TLSError) {
            _ = try TLSContext.client(trust: .system, identity: identity, protocols: ["h2"])
            return CertificateAge.finding(
                try identity.certificateInfo(),
                name: "\(identity)",
                path: "\(path).certificate_file",
                now: Int64(time(nil))
            )
        } catch {
            return Finding(
                .error,
                path: "\(path).certificate_file",
                message: "\(identity) and its private key cannot be used: \(error)"
            )
        }
    }

    private static func trust(_ file: String, path: String) -> Finding {
        if case .failure(let problem) = FileContent.read(file, limit: 4 << 20) {
            return Finding(.error, problem.category, path: path, message: problem.reason)
        }
        do throws(TLSError) {
            _ = try TLSContext.client(trust: .file(file), protocols: ["h2"])
            return Finding(.ok, path: path, message: "\(file) holds trusted certificates")
        } catch {
            return Finding(
                .error,
                path: path,
                message: "\(file) cannot be used; it must hold trusted certificates in PEM form"
            )
        }
    }
}
