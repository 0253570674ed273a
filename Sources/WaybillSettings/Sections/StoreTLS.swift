/// How the store's connections are protected: the options of its URL and the files of its section, taken together.
enum StoreTLS {
    /// What `store` says about TLS.
    struct Files {
        var caFile: String?
        var certificateFile: String?
        var privateKeyFile: String?

        var isEmpty: Bool { caFile == nil && certificateFile == nil && privateKeyFile == nil }
    }

    /// Options of MongoDB's URLs under which anybody may pass for the store.
    private static let unchecked: Set<String> = [
        "tlsinsecure", "tlsallowinvalidcertificates", "tlsallowinvalidhostnames", "sslallowinvalidcertificates",
        "sslallowinvalidhostnames", "sslinsecure",
    ]
    private static let switches: Set<String> = ["tls", "ssl"]
    /// Options that name files, and with them switch TLS on.
    private static let fileOptions: Set<String> = [
        "tlscafile", "tlscertificatekeyfile", "sslcertificateauthorityfile", "sslclientcertificatekeyfile",
    ]

    /// Reports what would leave the store's connections without protection, or contradicts itself.
    static func examine(_ url: ServiceURL, _ files: Files, _ section: SectionReader) {
        let options = url.options
        // libmongoc takes 1, yes, y and t for true as well, so that everything but a plain "false" is refused.
        if let option = options.first(where: { unchecked.contains($0.name) && $0.value.lowercased() != "false" }) {
            section.error(
                "url",
                "holds \(option.name), which turns the check of the server's certificate off; name its authority by ca_file"
            )
        }
        let switched = options.filter { switches.contains($0.name) }
        if let odd = switched.first(where: { !["true", "false"].contains($0.value.lowercased()) }) {
            section.error("url", "has an option \(odd.name) that is neither true nor false")
            return
        }
        let values = Set(switched.map { $0.value.lowercased() })
        let filesInURL = options.contains { fileOptions.contains($0.name) }
        if values.count > 1 {
            section.error("url", "says both tls=true and tls=false")
        } else if values == ["false"], !files.isEmpty || filesInURL {
            section.error("url", "says tls=false and names certificates; write tls=true, or leave the certificates out")
        } else if !files.isEmpty, filesInURL {
            section.error("url", "names certificates, and so does the section; give them in one place")
        }
        let isProtected =
            values.contains("true") || filesInURL || !files.isEmpty
            || url.scheme == "mongodb+srv" && !values.contains("false")
        if !isProtected, !url.isLocal {
            section.warning(
                "url",
                "records and the password cross the network in clear; add tls=true, and ca_file unless the system knows "
                    + "the authority"
            )
        }
    }
}
