import ArgumentParser
import WaybillSimulator

/// Makes what a local run of client and simulator needs.
struct MakeCredentialsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "make-credentials",
        abstract: "Make a certificate authority, a server certificate, a provider certificate and a provider key.",
        discussion: """
            Examples:
              apns-simulator make-credentials credentials
              apns-simulator make-credentials credentials --topic com.example.shop

            Writes ca.pem, ca-key.pem, server.pem, server-key.pem, client.pem, client-key.pem, client.p12 (the same in \
            one container, passphrase "simulator"), AuthKey_<key id>.p8 (mode 0600) and AuthKey_<key id>.pub.pem into \
            the directory. Files of these names are replaced. Needs the openssl program.
            """
    )

    @Argument(help: "The directory; made where it is missing.")
    var directory: String

    @Option(help: "The key id that names the provider key's files.")
    var keyID = "ABC123DEFG"

    @Option(help: "The bundle id that the provider certificate is for.")
    var topic = "com.example.parcels"

    func validate() throws {
        guard keyID.utf8.count == 10, keyID.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) }) else {
            throw ValidationError("A key id has ten letters and digits.")
        }
        guard !topic.isEmpty, topic.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "-._".contains($0)) })
        else { throw ValidationError("A bundle id has letters, digits, '-', '.' and '_'.") }
    }

    func run() throws {
        do {
            let files = try CredentialsDirectory.make(at: directory, keyID: keyID, topic: topic)
            StandardError.print("authority             \(files.certificate.authorityFile)")
            StandardError.print("server certificate    \(files.certificate.certificateFile)")
            StandardError.print("its private key       \(files.certificate.privateKeyFile)")
            StandardError.print("provider certificate  \(files.client.certificateFile)")
            StandardError.print("its private key       \(files.client.privateKeyFile)")
            StandardError.print("both in PKCS #12      \(files.client.pkcs12File)")
            StandardError.print("provider key          \(files.providerKeyFile)")
            StandardError.print("its public key        \(files.publicKeyFile)")
        } catch {
            StandardError.print("apns-simulator: \(error)")
            throw ExitStatus.cannotCreate
        }
    }
}
