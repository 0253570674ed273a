import ArgumentParser
import WaybillSimulator

/// Makes what a local run of client and simulator needs.
struct MakeCredentialsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "make-credentials",
        abstract: "Make a certificate authority, a server certificate, and throw-away keys for APNs and FCM.",
        discussion: """
            Examples:
              apns-simulator make-credentials credentials
              apns-simulator make-credentials credentials --topic com.example.shop

            Writes ca.pem, ca-key.pem, server.pem, server-key.pem, client.pem, client-key.pem, client.p12 (the same in \
            one container, passphrase "simulator"), AuthKey_<key id>.p8 (mode 0600), AuthKey_<key id>.pub.pem and \
            service-account.json (mode 0600; its token_uri is that of --token-uri) into the directory. Files of these names are replaced. Needs the openssl program.
            """
    )

    @Argument(help: "The directory; made where it is missing.")
    var directory: String

    @Option(help: "The key id that names the provider key's files.")
    var keyID = "ABC123DEFG"

    @Option(help: "The bundle id that the provider certificate is for.")
    var topic = "com.example.parcels"

    @Option(help: "The project of the service account.")
    var project = "waybill-demo"

    @Option(
        name: .customLong("token-uri"),
        help: "The service account's token endpoint: /token at a simulator that plays FCM."
    )
    var tokenURI = "https://localhost:8444/token"

    func validate() throws {
        guard keyID.utf8.count == 10, keyID.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) }) else {
            throw ValidationError("A key id has ten letters and digits.")
        }
        guard !topic.isEmpty, topic.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "-._".contains($0)) })
        else { throw ValidationError("A bundle id has letters, digits, '-', '.' and '_'.") }
        guard !project.isEmpty, project.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }) else {
            throw ValidationError("A project id has letters, digits and '-'.")
        }
        guard tokenURI.hasPrefix("https://"), tokenURI.hasSuffix("/token") else {
            throw ValidationError("--token-uri begins with https:// and ends with /token.")
        }
    }

    func run() throws {
        do {
            let files = try CredentialsDirectory.make(
                at: directory,
                keyID: keyID,
                topic: topic,
                project: project,
                tokenURI: tokenURI
            )
            StandardError.print("authority             \(files.certificate.authorityFile)")
            StandardError.print("server certificate    \(files.certificate.certificateFile)")
            StandardError.print("its private key       \(files.certificate.privateKeyFile)")
            StandardError.print("provider certificate  \(files.client.certificateFile)")
            StandardError.print("its private key       \(files.client.privateKeyFile)")
            StandardError.print("both in PKCS #12      \(files.client.pkcs12File)")
            StandardError.print("provider key          \(files.providerKeyFile)")
            StandardError.print("its public key        \(files.publicKeyFile)")
            StandardError.print("service account       \(files.serviceAccountFile)")
        } catch {
            StandardError.print("apns-simulator: \(error)")
            throw ExitStatus.cannotCreate
        }
    }
}
