import HTTPTypes
import Hummingbird

/// What changes for an account, as it happens, over a WebSocket.
struct SocketRoutes: Sendable {
    let parts: NoticeParts
    let origin: OriginCheck
    let tally: SocketTally

    var endpoints: [PersonEndpoint] {
        [PersonEndpoint(method: .get, path: "/v1/socket", answer: .stranger(open))]
    }

    /// The socket is out of what HTTP knows: its answer has no end.
    private struct Over: Error {}

    /// Lets anybody in; who they are, the first message says.
    private func open(_ request: PersonRequest) async throws -> Response {
        let context = request.context
        try parts.door.allowances.take(.socket, context)
        let headers = try await SocketHandshake.answer(request.head, origin, context.channel)
        let pipe = SocketPipe(context.channel)
        try await context.channel.triggerUserOutboundEvent(SocketSwitch(pipe: pipe, tally: tally)).get()
        let socket = EventSocket(parts: parts, pipe: pipe, context: context)
        let body = ResponseBody { _ in
            await socket.run()
            throw Over()
        }
        return Response(status: .switchingProtocols, headers: headers, body: body)
    }
}
