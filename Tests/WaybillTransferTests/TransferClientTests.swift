import Testing
import WaybillTransfer

@Suite("Requests over libcurl")
struct TransferClientTests {
    @Test("an answer has its status and its body, and the request says who asks")
    func answer() throws {
        let server = try OneAnswer("HTTP/1.1 404 Not Found\r\nContent-Length: 5\r\n\r\nthere")
        let credentials = TransferRequest.Credentials(user: "watch", password: "a:b ä")
        let response = try TransferClient.send(
            TransferRequest(url: server.url("/api/queues/%2F"), credentials: credentials)
        )
        #expect(response.status == 404)
        #expect(String(decoding: response.body, as: UTF8.self) == "there")
        let head = try #require(server.request)
        #expect(head.hasPrefix("GET /api/queues/%2F HTTP/1.1\r\n"))
        // "watch:a:b ä" in UTF-8.
        #expect(head.contains("Authorization: Basic d2F0Y2g6YTpiIMOk\r\n"))
    }

    @Test("a redirect is an answer, and not followed")
    func redirect() throws {
        let other = try OneAnswer("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        let server = try OneAnswer("HTTP/1.1 302 Found\r\nLocation: \(other.url("/"))\r\nContent-Length: 0\r\n\r\n")
        let response = try TransferClient.send(TransferRequest(url: server.url("/")))
        #expect(response.status == 302)
        #expect(other.request == nil)
    }

    @Test(
        "a body over its limit is refused, with or without a length in front",
        arguments: ["Content-Length: 11\r\n", ""]
    )
    func tooLarge(length: String) throws {
        let server = try OneAnswer("HTTP/1.1 200 OK\r\n\(length)Connection: close\r\n\r\nhello world")
        let error = #expect(throws: TransferError.self) {
            try TransferClient.send(TransferRequest(url: server.url("/"), byteLimit: 10))
        }
        #expect(error?.description == "the answer is larger than 10 bytes")
    }

    @Test("a server that stays silent is waited for no longer than allowed")
    func silence() throws {
        let server = try OneAnswer("")
        let error = #expect(throws: TransferError.self) {
            try TransferClient.send(TransferRequest(url: server.url("/"), timeLimit: .seconds(1)))
        }
        #expect(error?.description == "Timeout was reached")
    }

    @Test(
        "no other protocol is spoken",
        arguments: ["file:///etc/hostname", "ftp://127.0.0.1/", "gopher://127.0.0.1/"]
    )
    func otherProtocols(url: String) {
        #expect(throws: TransferError.self) { try TransferClient.send(TransferRequest(url: url)) }
    }

    @Test("a zero byte is refused where libcurl would cut the text")
    func zeroByte() {
        let error = #expect(throws: TransferError.self) {
            try TransferClient.send(TransferRequest(url: "http://127.0.0.1\u{0}.example.com/"))
        }
        #expect(error?.description == "a setting of the request holds a zero byte")
    }
}
