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
    /// - Returns: the notification's id, which the thesis' API does not tell.
    /// - Throws: what the server says, or that it says nothing.
    func notify(_ asked: NotifyRequest, name: String) throws(CommandFailure) -> String? {
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

    /// - Throws: for every answer but that it was handed over.
    private static func examine(_ answer: TransferResponse) throws(CommandFailure) -> String? {
        switch answer.status {
        case 202: return id(answer)
        case 204: return nil
        case 200: throw CommandFailure(.badInput, words(answer) ?? "the server refuses it and does not say why.")
        case 400, 413, 415, 422: throw CommandFailure(.badInput, words(answer) ?? "the server cannot read it.")
        case 401, 403: throw CommandFailure(.permission, words(answer) ?? "the server does not take the key.")
        case 404: throw CommandFailure(.configuration, "this server takes no notifications.")
        case 429: throw CommandFailure(.temporary, words(answer) ?? "too many notifications; try again later.")
        default: throw CommandFailure(.unavailable, "the server answers with status \(answer.status).")
        }
    }

    private static func id(_ answer: TransferResponse) -> String? {
        guard let members = try? JSONReader.members(of: answer.body) else { return nil }
        return answer.body.withUnsafeBufferPointer { bytes in
            members.first { $0.name == "id" }.flatMap(JSONReader(bytes).string).map(Cell.printable)
        }
    }

    /// What the server says in the thesis' form (`error.message`), or in ours (`detail`), made fit for a terminal.
    private static func words(_ answer: TransferResponse) -> String? { message(answer).map(Cell.printable) }

    private static func message(_ answer: TransferResponse) -> String? {
        guard let members = try? JSONReader.members(of: answer.body) else { return nil }
        return answer.body.withUnsafeBufferPointer { bytes -> String? in
            let reader = JSONReader(bytes)
            if let error = members.first(where: { $0.name == "error" }),
                let inner = try? JSONReader.members(of: answer.body, in: error.value),
                let message = inner.first(where: { $0.name == "message" })
            {
                return reader.string(message)
            }
            return members.first { $0.name == "detail" }.flatMap(reader.string)
        }
    }
}
