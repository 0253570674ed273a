import CWaybillCurl

/// Hands mails to a server, over libcurl: always with TLS, from the first byte or by STARTTLS.
///
/// *Ownership:* each mail has a connection of its own, closed at its end. *Thread:* any. *Blocking:* up to the server's time
/// limit.
package enum MailTransfer {
    /// Hands over one mail, and returns when the server has taken it.
    ///
    /// - Parameters:
    ///   - message: RFC 5322, lines ending in CR and LF; dots at their beginnings are libcurl's business.
    ///   - sender: the address that errors go back to.
    ///   - recipient: the one address that it goes to.
    ///   - server: who takes it.
    /// - Throws: `MailTransferError`; of a fault of the mail that is not for good the server may have taken it all the same.
    package static func send(
        _ message: [UInt8],
        from sender: String,
        to recipient: String,
        over server: MailServer
    ) throws(MailTransferError) {
        guard isPlain(sender), isPlain(recipient) else {
            throw MailTransferError(.mailForGood, "an address holds a character that ends it")
        }
        let content = Content(message)
        let recipients = curl_slist_append(nil, "<\(recipient)>")
        defer { curl_slist_free_all(recipients) }
        let handle = try open(server) { (handle) throws(TransferError) in
            try handle.set(CURLOPT_MAIL_FROM, "<\(sender)>")
            try EasyHandle.check(wb_curl_set_list(handle.pointer, CURLOPT_MAIL_RCPT, recipients))
            try handle.set(CURLOPT_UPLOAD, 1)
            try handle.set(CURLOPT_INFILESIZE, message.count)
            try EasyHandle.check(
                wb_curl_set_reader(
                    handle.pointer,
                    { bytes, size, count, context in
                        guard let bytes, let context else { return 0 }
                        let content = Unmanaged<Content>.fromOpaque(context).takeUnretainedValue()
                        return content.give(UnsafeMutableRawBufferPointer(start: bytes, count: size * count))
                    },
                    Unmanaged.passUnretained(content).toOpaque()
                )
            )
        }
        let code = withExtendedLifetime(content) { handle.perform() }
        if let error = fault(code, status: handle.status, hasBegun: content.hasBegun) { throw error }
    }

    /// Looks whether a server would take a mail: connects, agrees on TLS, logs in, and goes.
    ///
    /// - Throws: `MailTransferError` with a fault of the server.
    package static func probe(_ server: MailServer) throws(MailTransferError) {
        let handle = try open(server) { (handle) throws(TransferError) in
            try handle.set(CURLOPT_CONNECT_ONLY, 1)
        }
        if let error = fault(handle.perform(), status: handle.status, hasBegun: false) {
            throw MailTransferError(.server, error.description)
        }
    }

    private static func open(
        _ server: MailServer,
        _ configure: (EasyHandle) throws(TransferError) -> Void
    ) throws(MailTransferError) -> EasyHandle {
        do throws(TransferError) {
            let handle = try EasyHandle(
                url: server.url,
                protocols: "smtp,smtps",
                timeLimit: server.timeLimit,
                caFile: server.caFile
            )
            // Never less: without STARTTLS, links and password would go in clear.
            try handle.set(CURLOPT_USE_SSL, Int(CURLUSESSL_ALL.rawValue))
            try handle.set(
                CURLOPT_CONNECTTIMEOUT_MS,
                max(1, Int(min(server.timeLimit, .seconds(10)) / .milliseconds(1)))
            )
            if let credentials = server.credentials {
                try handle.set(CURLOPT_USERNAME, credentials.user)
                try handle.set(CURLOPT_PASSWORD, credentials.password)
            }
            try configure(handle)
            return handle
        } catch {
            throw MailTransferError(.server, error.description)
        }
    }

    /// What an end means.
    ///
    /// - Parameters:
    ///   - code: libcurl's.
    ///   - status: the server's last reply; 0 without one.
    ///   - hasBegun: whether the content was being sent.
    /// - Returns: `nil` when the server has taken the mail.
    static func fault(_ code: CURLcode, status: Int, hasBegun: Bool) -> MailTransferError? {
        guard code != CURLE_OK else { return nil }
        let text = status >= 400 ? "\(EasyHandle.text(code)) (reply \(status))" : EasyHandle.text(code)
        // Of what libcurl calls a failure to send, the reply tells: sender, recipient or content was refused.
        let isAboutTheMail = code == CURLE_SEND_ERROR || hasBegun
        // 530 to 538 are about the login.
        let isAboutUs = (530...538).contains(status)
        switch status {
        case 500... where isAboutTheMail && !isAboutUs: return MailTransferError(.mailForGood, text)
        case 400..<500 where isAboutTheMail: return MailTransferError(.mail, text)
        default: return MailTransferError(hasBegun ? .mail : .server, text)
        }
    }

    private static func isPlain(_ address: String) -> Bool {
        address.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "<") && $0 != UInt8(ascii: ">") }
    }

    /// What of the message has not gone yet.
    private final class Content {
        private let bytes: [UInt8]
        private var position = 0

        init(_ bytes: [UInt8]) {
            self.bytes = bytes
        }

        var hasBegun: Bool { position > 0 }

        func give(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
            let part = bytes[position...].prefix(buffer.count)
            buffer.copyBytes(from: part)
            position += part.count
            return part.count
        }
    }
}
