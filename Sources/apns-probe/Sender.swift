import WaybillAPNS
import WaybillProbe

/// Sends parts of the plan in the three ways that the library has, and reports the outcomes.
struct Sender: ProbedClient {
    let client: APNSClient
    let plan: Plan
    let report: Report

    func sendOne(_ position: Int) async {
        guard let notification = make(position) else { return }
        let result: Result<APNSResponse, APNSError>
        do {
            result = .success(try await client.send(notification))
        } catch {
            result = .failure(error)
        }
        report.write(JSONLine(position: position, id: notification.apnsID, result: result))
    }

    func sendTogether(_ part: Range<Int>) async {
        let made = part.compactMap { position in make(position).map { (position, $0) } }
        for await outcome in client.send(made.map(\.1)) {
            report.write(JSONLine(position: made[outcome.index].0, id: outcome.apnsID, result: outcome.result))
        }
    }

    func sendAsSequence(_ part: Range<Int>, width: Int) async {
        let made = part.compactMap { position in make(position).map { (position, $0) } }
        let notifications = AsyncStream<APNSNotification> { continuation in
            for (_, notification) in made { continuation.yield(notification) }
            continuation.finish()
        }
        for await outcome in client.send(contentsOf: notifications, atMost: width) {
            report.write(JSONLine(position: made[outcome.index].0, id: outcome.apnsID, result: outcome.result))
        }
    }

    private func make(_ position: Int) -> APNSNotification? {
        do {
            return try plan[position]
        } catch {
            report.complain(error)
            return nil
        }
    }

    func replaceCredentials(_ words: [String]) throws {
        guard words.count == 3 else { throw ProbeProblem("replace wants a key id, a team and a file") }
        let source = try APNSProviderTokenSource(teamID: words[1], keyID: words[0], keyFile: words[2])
        try client.replaceCredentials(.token(source))
    }

    func close(grace: Duration) async {
        await client.close(grace: grace)
    }
}
