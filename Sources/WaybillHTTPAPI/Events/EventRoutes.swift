import HTTPTypes
import Hummingbird

/// What changes for an account, as it happens, as server-sent events.
struct EventRoutes: Sendable {
    let parts: NoticeParts

    var endpoints: [PersonEndpoint] {
        [PersonEndpoint(method: .get, path: "/v1/events", answer: .person(listen))]
    }

    /// Until the client goes: behind `Last-Event-ID` where it has one, else from now on.
    private func listen(_ request: PersonRequest, _ person: Person) async throws -> Response {
        let headers: HTTPFields = [.contentType: "text/event-stream", .accelBuffering: "no"]
        // A stream without a body has nothing to wait for.
        guard request.head.method != .head else { return Response(status: .ok, headers: headers) }
        let channel = request.context.channel
        let subscription = try await EventSubscriber(parts: parts).subscribe(
            person,
            .serverSentEvents,
            after: request.head.headers[.lastEventID],
            request.context,
            drop: { channel.close(promise: nil) }
        )
        let stream = AccountEventStream(subscription: subscription)
        return Response(status: .ok, headers: headers, body: ResponseBody(asyncSequence: stream))
    }
}

extension HTTPField.Name {
    /// The last event that a client of server-sent events has seen.
    static let lastEventID = Self("Last-Event-ID")!
    /// Asks a proxy not to collect before it hands on.
    static let accelBuffering = Self("X-Accel-Buffering")!
}
