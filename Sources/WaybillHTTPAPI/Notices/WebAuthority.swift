import Glibc

/// What stands between `//` and the path of a URL of the web (RFC 3986, section 3.2).
///
/// A host, who asks in front of it, a port behind it.
enum WebAuthority {
    private static let at = UInt8(ascii: "@")
    private static let colon = UInt8(ascii: ":")

    /// What is wrong with one, half a sentence; `nil` if nothing is.
    static func problem(_ authority: Substring.UTF8View) -> String? {
        var host = authority
        if let end = authority.firstIndex(of: at) {
            let user = authority[..<end]
            guard !user.isEmpty, user.allSatisfy({ isNameByte($0) || $0 == colon || $0 == UInt8(ascii: "%") }) else {
                return "has a user in front of its host that is none"
            }
            host = authority[authority.index(after: end)...]
        }
        let port: Substring.UTF8View
        if host.first == UInt8(ascii: "[") {
            guard let end = host.firstIndex(of: UInt8(ascii: "]")), isIPv6(host[..<end].dropFirst()) else {
                return "has an address in brackets that is none of IPv6"
            }
            port = host[host.index(after: end)...]
            guard port.first ?? colon == colon else { return "has something behind the brackets of its host" }
        } else {
            let end = host.firstIndex(of: colon) ?? host.endIndex
            port = host[end...]
            guard isName(host[..<end]) else {
                return "has no host: it is a name of letters, digits, hyphens and dots, of other letters its form xn--…"
            }
        }
        let digits = port.dropFirst()
        let isNumber = digits.allSatisfy(isDigit) && UInt16(String(decoding: digits, as: UTF8.self)) != nil
        return digits.isEmpty || isNumber ? nil : "has a port that is none"
    }

    private static func isName(_ host: Substring.UTF8View) -> Bool {
        host.allSatisfy(isNameByte) && host.contains { isLetter($0) || isDigit($0) }
    }

    /// Of `reg-name`, but for the percent sign: no name of the web has one.
    private static func isNameByte(_ byte: UInt8) -> Bool {
        isLetter(byte) || isDigit(byte) || "-._~!$&'()*+,;=".utf8.contains(byte)
    }

    private static func isIPv6(_ text: Substring.UTF8View) -> Bool {
        var bytes = [UInt8](repeating: 0, count: 16)
        return inet_pton(AF_INET6, String(decoding: text, as: UTF8.self), &bytes) == 1
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
