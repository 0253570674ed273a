import ArgumentParser
import Foundation
import WaybillSettings

/// Where a service's key is sent: over TLS, or to this machine.
struct NotifyServer: Hashable {
    /// Without a slash behind it.
    let url: String
    /// The same for messages: without what may stand in front of an @.
    let shown: String

    /// - Parameters:
    ///   - text: as it was said.
    ///   - allowsHTTP: whether somebody has said that the key may go over the network in clear.
    /// - Throws: `ValidationError`.
    init(_ text: String, allowsHTTP: Bool) throws {
        var text = text
        while text.hasSuffix("/") { text.removeLast() }
        guard var parts = URLComponents(string: text), let host = parts.host, !host.isEmpty,
            let scheme = parts.scheme?.lowercased(), ["https", "http"].contains(scheme), parts.query == nil,
            parts.fragment == nil
        else { throw ValidationError("the server is not given as https://HOST") }
        url = text
        (parts.user, parts.password) = (nil, nil)
        shown = parts.string ?? "\(scheme)://\(host)"
        let plain = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        let isHere = plain.lowercased() == "localhost" || IPRange.loopback.contains { $0.contains(plain) }
        guard scheme == "https" || isHere || allowsHTTP else {
            throw ValidationError(
                "\(shown) is not https: the key would go there in clear; --allow-http sends it all the same"
            )
        }
    }
}
