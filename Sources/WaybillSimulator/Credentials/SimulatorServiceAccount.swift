import WaybillEncoding
package import WaybillTLS

/// A throw-away service account for tests: its key file, and assertions made with it.
package struct SimulatorServiceAccount: Sendable {
    package let clientEmail: String
    package let keyID: String
    package let project: String
    package let privateKey: RS256PrivateKey

    /// Makes a new one.
    package static func generate(project: String = "waybill-demo") throws(TLSError) -> SimulatorServiceAccount {
        SimulatorServiceAccount(
            clientEmail: "waybill-sender@\(project).iam.gserviceaccount.com",
            keyID: "0f1e2d3c4b5a69788796a5b4c3d2e1f001234567",
            project: project,
            privateKey: try RS256PrivateKey.generate()
        )
    }

    /// What the simulator needs of it.
    package var account: FCMAccount {
        FCMAccount(clientEmail: clientEmail, keyID: keyID, projects: [project], publicKey: privateKey.publicKey)
    }

    /// The key file as Google hands it out: a secret.
    package func keyFile(tokenURI: String) -> String {
        var json = JSONWriter(capacity: 4096)
        json.beginObject()
        json.member("type", "service_account")
        json.member("project_id", project)
        json.member("private_key_id", keyID)
        json.member("private_key", String(decoding: privateKey.pem, as: UTF8.self))
        json.member("client_email", clientEmail)
        json.member("token_uri", tokenURI)
        json.member("universe_domain", "googleapis.com")
        json.endObject()
        return String(decoding: json.bytes, as: UTF8.self) + "\n"
    }

    /// The form that asks for an access token, signed whatever its header and claims are.
    package func form(header: String, claims: String) throws(TLSError) -> String {
        let text = Base64URL.encode(Array(header.utf8)) + "." + Base64URL.encode(Array(claims.utf8))
        let assertion = text + "." + Base64URL.encode(try privateKey.sign(Array(text.utf8)))
        return "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=\(assertion)"
    }
}
