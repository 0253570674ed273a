import WaybillFCM
import WaybillProbe

/// Sends parts of the plan in the three ways that the library has, and reports the ends.
struct Sender: ProbedClient {
    let client: FCMClient
    let plan: Plan
    let trust: FCMTrust
    let report: Report

    func sendOne(_ position: Int) async {
        guard let (id, message) = make(position) else { return }
        let result: Result<FCMResponse, FCMError>
        do {
            result = .success(try await client.send(message))
        } catch {
            result = .failure(error)
        }
        report.write(JSONLine(position: position, id: id, result: result))
    }

    func sendTogether(_ part: Range<Int>) async {
        let made = part.compactMap { position in make(position).map { (position, $0.id, $0.message) } }
        for await end in client.send(made.map(\.2)) { write(end, made) }
    }

    func sendAsSequence(_ part: Range<Int>, width: Int) async {
        let made = part.compactMap { position in make(position).map { (position, $0.id, $0.message) } }
        let messages = AsyncStream<FCMMessage> { continuation in
            for (_, _, message) in made { continuation.yield(message) }
            continuation.finish()
        }
        do {
            try await client.send(contentsOf: messages, atMost: width) { write($0, made) }
        } catch {
            report.complain(error)
        }
    }

    func replaceCredentials(_ words: [String]) throws {
        guard let file = words.first, words.count == 1 else { throw ProbeProblem("replace wants a file") }
        client.replaceCredentials(try FCMAccessTokenSource(try FCMServiceAccount(file: file), trust: trust))
    }

    func close(grace: Duration) async {
        await client.close(grace: grace)
    }

    private func write(_ end: FCMBatch.End, _ made: [(Int, String, FCMMessage)]) {
        report.write(JSONLine(position: made[end.index].0, id: made[end.index].1, result: end.result))
    }

    private func make(_ position: Int) -> (id: String, message: FCMMessage)? {
        do {
            return try plan[position]
        } catch {
            report.complain(error)
            return nil
        }
    }
}
