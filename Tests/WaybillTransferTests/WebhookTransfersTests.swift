import Synchronization
import Testing

@testable import WaybillTransfer

@Suite("Posting to addresses that others have named")
struct WebhookTransfersTests {
    private func post(
        _ url: String,
        timeLimit: Duration = .seconds(20),
        permits: @escaping @Sendable (String) -> Bool = { _ in true }
    ) -> WebhookPost {
        WebhookPost(
            url: url,
            headers: [("webhook-id", "evt_1"), ("Content-Type", "application/json")],
            body: Array("{}".utf8),
            allowsPlain: true,
            timeLimit: timeLimit,
            permits: permits
        )
    }

    /// The one answer to the one post.
    private func answer(_ post: WebhookPost) throws -> Result<WebhookAnswer, TransferError> {
        let transfers = try WebhookTransfers<Int>()
        try transfers.begin(post, 7)
        let ended = transfers.wait(atMost: .seconds(30))
        #expect(ended.map(\.tag) == [7] && transfers.count == 0)
        return try #require(ended.first?.result)
    }

    @Test func postsAndReadsTheAnswer() throws {
        let server = try OneAnswer("HTTP/1.1 429 Busy\r\nRetry-After: 17\r\nContent-Length: 5\r\n\r\nlater")
        let answer = try answer(post(server.url("/hook?x=1"))).get()
        #expect(answer == WebhookAnswer(status: 429, retryAfter: 17, beginning: Array("later".utf8)))
        let request = try #require(server.request)
        #expect(request.hasPrefix("POST /hook?x=1 HTTP/1.1\r\n"))
        for line in ["webhook-id: evt_1", "Content-Type: application/json", "User-Agent: waybill"] {
            #expect(request.contains("\r\n\(line)\r\n"))
        }
        #expect(!request.contains("Expect:"))
    }

    @Test("an address that is not permitted gets no connection, whatever its name says")
    func addresses() throws {
        let server = try OneAnswer("HTTP/1.1 204 Gone\r\n\r\n")
        let asked = Mutex<[String]>([])
        let refused = try answer(
            post("http://localhost:\(server.port)/") { address in
                asked.withLock { $0.append(address) }
                return false
            }
        )
        guard case .failure(let error) = refused else {
            Issue.record("it was answered")
            return
        }
        #expect(error.description == "the address is not one that may be connected to")
        #expect(Set(asked.withLock { $0 }).isSubset(of: ["127.0.0.1", "::1"]) && asked.withLock { !$0.isEmpty })
        #expect(server.request == nil)
        #expect(try answer(post(server.url("/")) { $0 == "127.0.0.1" }).get().status == 204)
    }

    @Test("a service never sends over a connection that a client has opened")
    func connections() throws {
        let server = try OneAnswer("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", times: 2)
        let transfers = try WebhookTransfers<Int>()
        func answer(_ path: String, shares: Bool, isPermitted: Bool) throws -> Result<WebhookAnswer, TransferError> {
            var post = post(server.url(path)) { _ in isPermitted }
            post.sharesConnections = shares
            try transfers.begin(post, 1)
            return try #require(transfers.wait(atMost: .seconds(30)).first?.result)
        }
        #expect(try answer("/client", shares: true, isPermitted: true).get().status == 200)
        guard case .failure(let error) = try answer("/service", shares: false, isPermitted: false) else {
            Issue.record("the client's connection was used")
            return
        }
        #expect(error.isRefusedAddress)
        #expect(server.request?.contains("/client") == true)
        // The connection is there still: whoever shares it is not asked for the address again.
        #expect(try answer("/again", shares: true, isPermitted: false).get().status == 200)
    }

    @Test func followsNoRedirect() throws {
        let elsewhere = try OneAnswer("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        let server = try OneAnswer(
            "HTTP/1.1 302 Found\r\nLocation: \(elsewhere.url("/"))\r\nContent-Length: 0\r\n\r\n"
        )
        #expect(try answer(post(server.url("/"))).get().status == 302)
        #expect(elsewhere.request == nil)
    }

    @Test("of a long answer the beginning is read")
    func long() throws {
        let body = String(repeating: "x", count: 1 << 20)
        let server = try OneAnswer("HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
        let answer = try answer(post(server.url("/"))).get()
        #expect(answer.status == 200 && answer.beginning == Array(body.utf8.prefix(1024)))
    }

    @Test("one that says nothing keeps nobody waiting, and ends at its limit")
    func slow() throws {
        let (silent, quick) = (try OneAnswer(""), try OneAnswer("HTTP/1.1 204 No Content\r\n\r\n"))
        let transfers = try WebhookTransfers<String>()
        try transfers.begin(post(silent.url("/"), timeLimit: .seconds(2)), "silent")
        try transfers.begin(post(quick.url("/")), "quick")
        var ended: [(tag: String, result: Result<WebhookAnswer, TransferError>)] = []
        for _ in 0..<20 where ended.count < 2 { ended += transfers.wait(atMost: .seconds(5)) }
        #expect(ended.map(\.tag) == ["quick", "silent"])
        #expect((try? ended.first?.result.get())?.status == 204)
        #expect((try? ended.last?.result.get()) == nil)
    }

    @Test("what cannot be sent at all")
    func invalid() throws {
        let transfers = try WebhookTransfers<Int>()
        var broken = post("https://example.com/")
        broken.headers = [("webhook-id", "evt\r\nX-Evil: 1")]
        #expect(throws: TransferError.self) { try transfers.begin(broken, 1) }
        for url in ["ftp://127.0.0.1/", "file:///etc/passwd", "gopher://127.0.0.1/"] {
            guard case .failure = try answer(post(url)) else {
                Issue.record("\(url) was spoken")
                continue
            }
        }
    }
}
