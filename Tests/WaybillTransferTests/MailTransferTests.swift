import CWaybillCurl
import Testing

@testable import WaybillTransfer

/// What a mail server does to a mail; `scripts/faults.sh` plays whole servers (the group `mail`).
@Suite("Mails over libcurl")
struct MailTransferTests {
    @Test(
        "what an end means",
        arguments: [
            // Refused: sender or recipient, and then the content.
            (CURLE_SEND_ERROR, 550, false, MailTransferError.Fault.mailForGood),
            (CURLE_WEIRD_SERVER_REPLY, 554, true, .mailForGood), (CURLE_SEND_ERROR, 552, false, .mailForGood),
            (CURLE_SEND_ERROR, 450, false, .mail), (CURLE_WEIRD_SERVER_REPLY, 451, true, .mail),
            // It may have been taken.
            (CURLE_OPERATION_TIMEDOUT, 354, true, .mail), (CURLE_RECV_ERROR, 354, true, .mail),
            // No mail at all.
            (CURLE_WEIRD_SERVER_REPLY, 554, false, .server), (CURLE_WEIRD_SERVER_REPLY, 421, false, .server),
            (CURLE_LOGIN_DENIED, 535, false, .server), (CURLE_SEND_ERROR, 530, false, .server),
            (CURLE_USE_SSL_FAILED, 220, false, .server), (CURLE_PEER_FAILED_VERIFICATION, 220, false, .server),
            (CURLE_COULDNT_CONNECT, 0, false, .server), (CURLE_OPERATION_TIMEDOUT, 250, false, .server),
        ] as [(CURLcode, Int, Bool, MailTransferError.Fault)]
    )
    func fault(code: CURLcode, status: Int, hasBegun: Bool, fault: MailTransferError.Fault) {
        #expect(MailTransfer.fault(code, status: status, hasBegun: hasBegun)?.fault == fault)
    }

    @Test("taken is no fault")
    func taken() {
        #expect(MailTransfer.fault(CURLE_OK, status: 250, hasBegun: true) == nil)
    }

    @Test("a server that stays silent is waited for no longer than allowed")
    func silence() throws {
        let silent = try OneAnswer("")
        let server = MailServer(url: "smtp://127.0.0.1:\(silent.port)", timeLimit: .seconds(1))
        let error = #expect(throws: MailTransferError.self) {
            try MailTransfer.send(Array("a\r\n".utf8), from: "a@b", to: "c@d", over: server)
        }
        #expect(error == MailTransferError(.server, "Timeout was reached"))
    }

    @Test(
        "no other protocol is spoken",
        arguments: ["http://127.0.0.1/", "file:///tmp/mail", "imap://127.0.0.1/"]
    )
    func otherProtocols(url: String) {
        #expect(throws: MailTransferError.self) { try MailTransfer.probe(MailServer(url: url)) }
    }

    @Test("an address that could be a command is refused", arguments: ["a@b>\r\nRCPT TO:<c@d", "a b@c", "a@b\u{0}"])
    func address(text: String) {
        for (sender, recipient) in [("a@b", text), (text, "a@b")] {
            let error = #expect(throws: MailTransferError.self) {
                try MailTransfer.send([], from: sender, to: recipient, over: MailServer(url: "smtp://127.0.0.1:1"))
            }
            #expect(error?.fault == .mailForGood)
        }
    }
}
