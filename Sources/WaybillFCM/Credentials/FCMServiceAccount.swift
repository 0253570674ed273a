import WaybillEncoding
import WaybillTLS

/// A service account's key (Google, "Using OAuth 2.0 for Server to Server Applications"), as its JSON file has it.
///
/// The file is a secret.
public struct FCMServiceAccount: Sendable {
    /// The project that the account belongs to; it may be allowed to send for others.
    public let projectID: String
    /// Whom the access tokens are for.
    public let clientEmail: String
    /// The key's id.
    public let keyID: String
    /// Where access tokens are bought, as the file has it.
    let tokenURI: String
    /// `tokenURI` in parts.
    let endpoint: TokenEndpoint
    let key: RS256PrivateKey
    /// Of everything by which access tokens are bought: two accounts with one buy the same.
    package let fingerprint: String

    /// Reads a key file of at most 64 KiB.
    ///
    /// - Throws: ``FCMSetupError`` naming the file and the member that is missing or wrong.
    public init(file: String) throws(FCMSetupError) {
        let bytes: [UInt8]
        do {
            bytes = try SmallFile.read(file, limit: 64 << 10).bytes
        } catch {
            throw FCMSetupError("\(error)")
        }
        do throws(FCMSetupError) {
            try self.init(json: bytes)
        } catch {
            throw FCMSetupError("\(file): \(error.text)")
        }
    }

    /// Reads a key file's contents.
    ///
    /// - Throws: ``FCMSetupError`` naming the member that is missing or wrong.
    public init(json: [UInt8]) throws(FCMSetupError) {
        let json = ByteOrderMark.removed(from: json)
        let members = try Self.members(of: json)
        func text(_ name: String) throws(FCMSetupError) -> String {
            guard let member = members.first(where: { $0.name == name }),
                json[member.value.lowerBound] == UInt8(ascii: "\"")
            else { throw FCMSetupError("\(name) is missing, or no text") }
            var text: [UInt8] = []
            json[(member.value.lowerBound + 1)..<(member.value.upperBound - 1)].withUnsafeBufferPointer {
                JSONText.appendUnescaped($0, to: &text)
            }
            return String(decoding: text, as: UTF8.self)
        }
        let type = try text("type")
        guard type == "service_account" else {
            throw FCMSetupError("type is \(type): only the key of a service_account can be used")
        }
        if members.contains(where: { $0.name == "universe_domain" }) {
            let domain = try text("universe_domain")
            guard domain == "googleapis.com" else {
                throw FCMSetupError("universe_domain is \(domain): only googleapis.com is supported")
            }
        }
        projectID = try text("project_id")
        clientEmail = try text("client_email")
        keyID = try text("private_key_id")
        tokenURI = try text("token_uri")
        guard let endpoint = TokenEndpoint(tokenURI) else {
            throw FCMSetupError("token_uri is no https address")
        }
        self.endpoint = endpoint
        let pem = try text("private_key")
        fingerprint =
            SHA256Hasher.digest(of: [clientEmail, keyID, tokenURI, pem].joined(separator: "\0").utf8).hexadecimal
        do {
            key = try RS256PrivateKey(pem: Array(pem.utf8))
        } catch {
            let hint = pem.contains("\\n") ? "; it holds a backslash and an n where lines should end" : ""
            throw FCMSetupError("private_key: \(error.text)\(hint)")
        }
    }
}

extension FCMServiceAccount {
    private static func members(of json: [UInt8]) throws(FCMSetupError) -> [JSONReader.Member] {
        let members: [JSONReader.Member]?
        do throws(JSONFault) {
            members = try JSONReader.members(of: json)
        } catch {
            throw FCMSetupError("it is not JSON: \(error.text)")
        }
        guard let members else { throw FCMSetupError("it must be a JSON object") }
        // Firebase has two files for each app, and the other one is downloaded first.
        guard !members.contains(where: { $0.name == "project_info" }) else {
            throw FCMSetupError(
                "it is google-services.json, which belongs into the app; needed is the key of a service account: in the "
                    + "Firebase console, Project settings, Service accounts, Generate new private key"
            )
        }
        return members
    }

    /// Whether access tokens are bought at Google's own endpoint, and not at what stands in for it.
    package var buysFromGoogle: Bool { endpoint.host == "googleapis.com" || endpoint.host.hasSuffix(".googleapis.com") }
}

extension FCMServiceAccount: CustomStringConvertible, CustomReflectable {
    /// The key's id and the project.
    public var description: String { "key \(keyID) of project \(projectID)" }

    /// Shows what ``description`` does, and nothing of the key.
    public var customMirror: Mirror { Mirror(self, children: ["key": description]) }
}

/// An https address in parts.
struct TokenEndpoint: Hashable, Sendable {
    let host: String
    let port: UInt16
    let path: String

    init?(_ uri: String) {
        let scheme = "https://"
        guard uri.hasPrefix(scheme), uri.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
        let rest = uri.dropFirst(scheme.count)
        let slash = rest.firstIndex(of: "/") ?? rest.endIndex
        let authority = rest[..<slash]
        path = slash == rest.endIndex ? "/" : String(rest[slash...])
        if let colon = authority.lastIndex(of: ":"), !authority.hasSuffix("]") {
            guard let number = UInt16(authority[authority.index(after: colon)...]), number > 0 else { return nil }
            port = number
            host = String(authority[..<colon])
        } else {
            port = 443
            host = String(authority)
        }
        guard !host.isEmpty, !host.contains("@"), !host.contains("[") else { return nil }
    }
}
