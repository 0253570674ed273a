import WaybillHTTP2
import WaybillPushTransport
import WaybillTLS

/// Posts forms to a token endpoint, one at a time, over a connection of its own.
final class TokenExchange: Sendable {
    private let driver: PushDriver<TokenEndpointService>

    init(
        _ endpoint: TokenEndpoint,
        trust: TLSTrust,
        proxy: ProxySettings?,
        deadline: Duration
    ) throws(FCMSetupError) {
        var options = TLSClientOptions()
        options.protocols = ["h2"]
        options.trust = trust
        let address = Endpoint(host: endpoint.host, port: endpoint.port)
        var settings = TransportSettings(name: "token", endpoint: address)
        settings.proxy = proxy
        settings.connections = 1
        settings.idlePings = 0
        // Sooner than messages give up, so that they end with the cause.
        settings.deadlines.unreachable = .seconds(10)
        settings.deadlines.request = deadline
        do {
            let credentials = TransportCredentials(
                tokenSource: nil,
                tlsContext: try TLSContext.client(options),
                startsWithOneStream: false
            )
            driver = try PushDriver(
                name: "wb-fcm-token",
                lanes: [LaneSeed(settings: settings, credentials: credentials)],
                observer: SilentLaneObserver(),
                clock: .system
            ) { _ in TokenEndpointService(authority: address.authority, path: endpoint.path) }
        } catch {
            throw FCMSetupError("the token endpoint's connection: \(error)")
        }
    }

    /// Posts a form; the answer comes once, on the exchange's own thread.
    func post(_ form: [UInt8], _ answer: @escaping @Sendable (TokenAnswer) -> Void) {
        let batch = TokenForm(form: form, answer: answer)
        if !driver.submit([batch], lane: 0) { answer(.refused(.token, "the client is closed")) }
    }
}

/// One form, and who waits for its answer.
final class TokenForm: PushRequestOwner {
    let form: [UInt8]
    let answer: @Sendable (TokenAnswer) -> Void

    init(form: [UInt8], answer: @escaping @Sendable (TokenAnswer) -> Void) {
        self.form = form
        self.answer = answer
    }
}

/// The rules of a token endpoint.
final class TokenEndpointService: PushService {
    let head = HTTP2HeaderBlock()
    private let authority: [UInt8]
    private let path: [UInt8]
    private var forms: [Int: TokenForm] = [:]
    private var last = -1

    init(authority: String, path: String) {
        self.authority = Array(authority.utf8)
        self.path = Array(path.utf8)
    }

    func keep(_ batch: TokenForm) -> KeptBatch {
        last += 1
        forms[last] = batch
        return KeptBatch(number: last, owner: batch, count: 1)
    }

    func release(batch: Int) {
        forms[batch] = nil
    }

    func facts(of request: RequestID) -> RequestFacts {
        // Without an answer the exchange has failed: the next one signs a new assertion.
        RequestFacts(bodySize: forms[request.batch]?.form.count ?? 0, notAfter: .max, resendsUnknown: false)
    }

    func write(
        _ request: RequestID,
        authorization: [UInt8]?,
        names: inout HeaderNames
    ) throws(HeaderRefusal) -> ArraySlice<UInt8> {
        head.removeAll()
        head.append(":method", "POST", indexed: true)
        head.append(":scheme", "https", indexed: true)
        head.append(":path", path, indexed: true)
        head.append(":authority", authority, indexed: true)
        head.append("content-type", "application/x-www-form-urlencoded", indexed: true)
        return (forms[request.batch]?.form ?? [])[...]
    }

    var answerHeaders: AnswerHeaderNames { AnswerHeaderNames() }

    func answerLimit(of request: RequestID) -> Int { 16 * 1024 }

    func read(_ answer: RawAnswer, to request: RequestID, at unixSeconds: Int64) -> ReadAnswer {
        ReadAnswer(PushAnswer(status: answer.status), .final, provesCredentials: true)
    }

    func goAwayReason(_ debugData: UnsafeRawBufferPointer) -> String? { FCMGoAway.reason(debugData) }

    func tokenProblem(_ reason: String) -> String { reason }

    func ended(_ request: RequestID, _ end: RequestEnd) {
        guard let form = forms[request.batch] else { return }
        switch end.result {
        case .answered(let answer): form.answer(TokenAnswer(status: answer.status, body: end.body))
        case .failed(let failure):
            let kind: PushObstacle.Kind = failure.cause.kind == .certificate ? .certificate : .token
            form.answer(.refused(kind, "the token endpoint cannot be reached: \(failure.cause)"))
        }
    }

    func handOut() {}
}

/// Hears nothing.
struct SilentLaneObserver: LaneObserver {
    func connected(lane: String, connection: ConnectionRecord) {}
    func connectionFailed(lane: String, connection: ConnectionRecord, error: String) {}
    func goAway(lane: String, connection: ConnectionRecord, reason: String) {}
    func closed(lane: String, connection: ConnectionRecord, reason: String) {}
    func credentialsFailed(lane: String, error: String) {}
}
