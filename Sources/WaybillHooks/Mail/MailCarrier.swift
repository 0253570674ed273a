import Foundation
import WaybillOutbox
package import WaybillTransfer

/// Who takes mails away.
package enum MailCarrier: Sendable {
    case server(MailServer)
    /// Each mail becomes a file `<name of its Message-ID>.eml` in this folder; one that goes twice is one file.
    case folder(String)

    /// Hands a mail over, and returns when it is taken.
    func carry(_ message: MailMessage) throws(MailTransferError) {
        switch self {
        case .server(let server):
            try MailTransfer.send(
                message.bytes,
                from: message.sender.text,
                to: message.recipient.text,
                over: server
            )
        case .folder(let path):
            let name = "\(message.messageID.prefix { $0 != "@" }).eml"
            do {
                try Data(message.bytes).write(to: URL(filePath: path).appending(path: name), options: .atomic)
            } catch {
                throw MailTransferError(.server, Self.reason(path))
            }
        }
    }

    /// Looks whether a mail would be taken.
    ///
    /// - Throws: `MailTransferError` with why not.
    package func probe() throws(MailTransferError) {
        switch self {
        case .server(let server): try MailTransfer.probe(server)
        case .folder(let path):
            var isDirectory: ObjCBool = false
            guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory), isDirectory.boolValue,
                FileManager.default.isWritableFile(atPath: path)
            else { throw MailTransferError(.server, Self.reason(path)) }
        }
    }

    /// For people.
    package var name: String {
        switch self {
        case .server(let server): server.url
        case .folder(let path): path
        }
    }

    private static func reason(_ path: String) -> String { "files cannot be written to the folder \(path)" }
}
