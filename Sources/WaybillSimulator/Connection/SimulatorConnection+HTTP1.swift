import WaybillHTTP2
import WaybillTLS
import WaybillThreads

// HTTP/1.1, which Google's front ends speak with every client that does not offer HTTP/2.
extension SimulatorConnection {
    func receiveHTTP1(_ bytes: UnsafeRawBufferPointer) {
        http1?.receive(bytes)
        serveHTTP1()
    }

    /// Serves the next request, if none is under way.
    private func serveHTTP1() {
        while currentRequest == nil, !isFinished, !closesAfterFlush {
            let next: HTTP1Exchange.Request?
            do {
                next = try http1?.next()
            } catch {
                http1?.answer(status: 400, headers: [("connection", "close")], body: [])
                closesAfterFlush = true
                return
            }
            guard let next, let request = requests.begin(stream: requests.lastStream + 1) else { return }
            currentRequest = request
            Self.fill(request, from: next)
            requests.decide(request)
            serve(
                request,
                context.handler.decide(request, tokens: &tokens, certificate: certificate, connection: observer.number)
            )
        }
    }

    private static func fill(_ request: RequestInProgress, from next: HTTP1Exchange.Request) {
        func append(_ name: String, _ value: String) {
            Array(name.utf8).withUnsafeBytes { name in
                Array(value.utf8).withUnsafeBytes { request.head.append(name: name, value: $0) }
            }
        }
        append(":method", next.method)
        append(":path", next.path)
        for header in next.headers {
            append(header.name == "host" ? ":authority" : header.name, header.value)
        }
        next.body.withUnsafeBytes { request.append($0) }
    }

    /// Answers the request that is under way.
    func respondHTTP1(_ answer: SimulatorAnswer) {
        guard let request = currentRequest else { return }
        var headers = [("content-type", AnswerWriter.contentType(of: answer))]
        if let wait = answer.form?.retryAfter { headers.append(("retry-after", wait)) }
        if let date = answer.form?.date { headers.append(("date", date)) }
        http1?.answer(status: answer.status, headers: headers, body: answer.bodyBytes(now: WallClock.milliseconds()))
        _ = requests.close(stream: request.stream)
        currentRequest = nil
        serveHTTP1()
    }

    func flushHTTP1() {
        guard !isFinished, !isLingering else { return }
        for action in deferred {
            if case .close = action { closesAfterFlush = true }
        }
        deferred = []
        do {
            while let output = http1?.output, !output.isEmpty {
                switch try output.withUnsafeBytes({ try tls.write($0) }) {
                case .bytes(let count): http1?.wrote(count)
                case .wantsRead, .wantsWrite:
                    waitsForRoom = true
                    return
                case .closed: return abort()
                }
            }
            waitsForRoom = false
            if closesAfterFlush { beginLingering(saysGoodbye: true) }
        } catch {
            abort()
        }
    }
}
