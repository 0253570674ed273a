import WaybillCore

/// The options that libmongoc knows in a store's URL; it passes over others, and says so only where nobody looks.
enum StoreOptions {
    /// In lower case, as ``ServiceURL/options`` names them (libmongoc 1.23, `mongoc-uri.h`).
    private static let known: Set<String> = [
        "appname", "authmechanism", "authmechanismproperties", "authsource", "canonicalizehostname", "compressors",
        "connecttimeoutms", "directconnection", "gssapiservicename", "heartbeatfrequencyms", "journal", "loadbalanced",
        "localthresholdms", "maxidletimems", "maxpoolsize", "maxstalenessseconds", "minpoolsize", "readconcernlevel",
        "readpreference", "readpreferencetags", "replicaset", "retryreads", "retrywrites", "safe",
        "serverselectiontimeoutms", "serverselectiontryonce", "slaveok", "socketcheckintervalms", "sockettimeoutms",
        "srvmaxhosts", "srvservicename", "ssl", "sslallowinvalidcertificates", "sslallowinvalidhostnames",
        "sslcertificateauthorityfile", "sslclientcertificatekeyfile", "sslclientcertificatekeypassword", "tls",
        "tlsallowinvalidcertificates", "tlsallowinvalidhostnames", "tlscafile", "tlscertificatekeyfile",
        "tlscertificatekeyfilepassword", "tlsdisablecertificaterevocationcheck", "tlsdisableocspendpointcheck",
        "tlsinsecure", "w", "waitqueuemultiple", "waitqueuetimeoutms", "wtimeoutms", "zlibcompressionlevel",
    ]

    /// Names each option that would have no effect.
    static func examine(_ url: ServiceURL, _ section: SectionReader) {
        for name in url.options.map(\.name) where !known.contains(name) {
            // What a URL holds may be a secret in the wrong place: only what looks like a name is repeated.
            guard name.utf8.count <= 40, name.allSatisfy({ $0.isASCII && $0.isLetter }) else {
                section.warning("url", "holds an option that the store's client does not know; it has no effect")
                continue
            }
            let hint = NearestName.to(name, among: known).map { "; did you mean \($0)?" } ?? ""
            section.warning("url", "holds \(name), which the store's client does not know; it has no effect\(hint)")
        }
    }
}
