import WaybillTLS

/// A client certificate that the simulator has believed; pure.
///
/// Apple: a connection with one needs no provider token, and pushes to the topics of the certificate only.
package struct ProviderCertificate: Hashable, Sendable {
    /// The subject's CN.
    package let commonName: String?
    /// The subject's UID, where Apple puts the topic.
    package let userID: String?

    package init(commonName: String?, userID: String?) {
        self.commonName = commonName
        self.userID = userID
    }

    init(_ certificate: TLSPeerCertificate) {
        self.init(commonName: certificate.commonName, userID: certificate.userID)
    }

    /// The words that stand before the bundle id in the CN of Apple's certificates, whatever stands before them.
    private static let words = Array("Push Services: ".utf8)

    /// The bundle id that the certificate is for: the UID, or the end of a CN such as `Apple Push Services: com.example`.
    ///
    /// `nil` for a certificate that names none; every request with it is refused.
    package var topic: String? {
        if let userID, !userID.isEmpty { return userID }
        guard let name = commonName.map({ Array($0.utf8) }) else { return nil }
        for start in name.indices where name[start...].starts(with: Self.words) {
            let topic = name[(start + Self.words.count)...]
            return topic.isEmpty ? nil : String(decoding: topic, as: UTF8.self)
        }
        return nil
    }
}
