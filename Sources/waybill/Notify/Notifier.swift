import WaybillEncoding
import WaybillThreads
import WaybillTransfer

/// Asks a server to tell a service's people something, again where nobody knows whether it was heard: each time under the same name,
/// which makes one notification of them.
struct Notifier {
    private static let patience = Duration.seconds(15)
    private static let mostBytes = 64 << 10
    /// Pauses between attempts.
    private static let pauses: [Duration] = [.seconds(1), .seconds(3)]

    let server: NotifyServer
    let caFile: String?

    /// - Parameters:
    ///   - asked: the request.
    ///   - name: of the notification, at most 255 characters of ASCII.
    /// - Returns: the server's answer.
    /// - Throws: what the server says, or that it says nothing.
    func notify(_ asked: NotifyRequest, name: String) throws(CommandFailure) -> NotifyAnswer {
        var failure: CommandFailure?
        for pause in [.zero] + Self.pauses {
            NamedThread.sleep(for: pause) { false }
            let answer: TransferResponse
            do throws(TransferError) {
                answer = try TransferClient.send(request(asked, name))
            } catch {
                failure = CommandFailure(.unavailable, "\(server.shown): \(error.description)")
                continue
            }
            // Busy, or without its broker: the same name later makes the same notification. 409: the first one is being answered.
            guard [409, 503].contains(answer.status) else { return try Self.examine(answer) }
            failure = CommandFailure(.temporary, Self.words(answer) ?? "the server cannot do this at the moment.")
        }
        throw failure ?? CommandFailure(.unavailable, "\(server.shown) does not answer.")
    }

    private func request(_ asked: NotifyRequest, _ name: String) -> TransferRequest {
        var request = TransferRequest(
            url: server.url + asked.path,
            caFile: caFile,
            timeLimit: Self.patience,
            byteLimit: Self.mostBytes
        )
        request.post = TransferRequest.Post(
            body: asked.body,
            headers: asked.headers + ["Idempotency-Key: \"\(name)\""]
        )
        return request
    }

    /// The Notifire API's code where the level is switched off.
    private static let levelIsOff: Int64 = 2

    /// - Throws: for every answer but that it was handed over, or that the level is switched off.
    static func examine(_ answer: TransferResponse) throws(CommandFailure) -> NotifyAnswer {
        switch answer.status {
        case 202: return NotifyAnswer(answer.body)
        case 204: return NotifyAnswer()
        case 200 where message(answer)?.code == levelIsOff: return NotifyAnswer(silence: words(answer))
        case 200: throw CommandFailure(.badInput, words(answer) ?? "the server refuses it and does not say why.")
        case 400, 413, 415, 422: throw CommandFailure(.badInput, words(answer) ?? "the server cannot read it.")
        case 401, 403: throw CommandFailure(.permission, words(answer) ?? "the server does not take the key.")
        case 404: throw CommandFailure(.configuration, "this server takes no notifications.")
        case 429: throw CommandFailure(.temporary, words(answer) ?? "too many notifications; try again later.")
        default: throw CommandFailure(.unavailable, "the server answers with status \(answer.status).")
        }
    }

    /// The words of the server, made fit for a terminal.
    private static func words(_ answer: TransferResponse) -> String? { message(answer)?.text.map(Cell.printable) }

    /// An error in the Notifire API's form (`error`), or in ours (`detail`), which has no code.
    private static func message(_ answer: TransferResponse) -> (code: Int64?, text: String?)? {
        guard let members = try? JSONReader.members(of: answer.body) else { return nil }
        return answer.body.withUnsafeBufferPointer { bytes -> (code: Int64?, text: String?)? in
            let reader = JSONReader(bytes)
            if let error = members.first(where: { $0.name == "error" }),
                let inner = try? JSONReader.members(of: answer.body, in: error.value),
                let message = inner.first(where: { $0.name == "message" })
            {
                return (inner.first { $0.name == "code" }.flatMap(reader.integer), reader.string(message))
            }
            return (nil, members.first { $0.name == "detail" }.flatMap(reader.string))
        }
    }
}
