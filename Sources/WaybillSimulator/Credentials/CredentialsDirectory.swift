import Glibc
import WaybillTLS

/// Everything that a local run of client and simulator needs, made in one directory.
package enum CredentialsDirectory {
    /// The files made.
    package struct Files: Hashable, Sendable {
        package let certificate: SimulatorCertificate.Files
        /// A provider certificate of the same authority.
        package let client: SimulatorCertificate.ClientFiles
        /// The provider's key, as Apple hands it out; readable by its owner alone.
        package let providerKeyFile: String
        /// Its public half, for the simulator.
        package let publicKeyFile: String
        /// A service account's key, as Google hands it out; readable by its owner alone.
        package let serviceAccountFile: String
    }

    /// Makes the directory where it is missing, and in it the certificates for `localhost`, `127.0.0.1` and `::1`, a
    /// provider certificate for a topic, and a throw-away provider key, `AuthKey_<key id>.p8` with
    /// `AuthKey_<key id>.pub.pem`, and a throw-away service account, `service-account.json`.
    package static func make(
        at directory: String,
        keyID: String,
        topic: String = "com.example.parcels",
        project: String = "waybill-demo",
        tokenURI: String = "https://localhost:8444/token"
    ) throws(SimulatorError) -> Files {
        if mkdir(directory, 0o755) != 0, errno != EEXIST { throw .system("creating \(directory)") }
        let certificate = try SimulatorCertificate.make(in: directory, hostNames: ["localhost", "127.0.0.1", "::1"])
        let files = Files(
            certificate: certificate,
            client: try SimulatorCertificate.makeClient(in: directory, topic: topic),
            providerKeyFile: "\(directory)/AuthKey_\(keyID).p8",
            publicKeyFile: "\(directory)/AuthKey_\(keyID).pub.pem",
            serviceAccountFile: "\(directory)/service-account.json"
        )
        do {
            let key = try ES256PrivateKey.generate()
            try TextFile.write(String(decoding: key.pem, as: UTF8.self), to: files.providerKeyFile, mode: 0o600)
            let publicKey = String(decoding: key.publicKey.pem, as: UTF8.self)
            try TextFile.write(publicKey, to: files.publicKeyFile, mode: 0o644)
            let account = try SimulatorServiceAccount.generate(project: project)
            try TextFile.write(account.keyFile(tokenURI: tokenURI), to: files.serviceAccountFile, mode: 0o600)
        } catch let error as SimulatorError {
            throw error
        } catch {
            throw SimulatorError("making a provider key: \(error)")
        }
        return files
    }
}
