import NIOCore
import ServiceLifecycle
import WaybillThreads

/// What changes for an account, over a WebSocket: who it is for, then the events, until either side closes.
struct EventSocket: Sendable {
    let parts: NoticeParts
    let pipe: SocketPipe
    /// Of the opening handshake.
    let context: APIContext

    /// Returns when the connection has ended.
    func run() async {
        await withTaskCancellationHandler {
            await withGracefulShutdownHandler {
                await talk()
                await pipe.ended()
            } onGracefulShutdown: {
                pipe.close(.goingAway)
            }
        } onCancel: {
            pipe.abandon()
        }
    }

    private func talk() async {
        do {
            try await listen()
        } catch let reason as SocketClose {
            pipe.close(reason)
        } catch let problem as Problem {
            pipe.close(SocketClose(problem))
        } catch is CancellationError {
            pipe.abandon()
        } catch is ChannelError {
            // The connection ends, and nobody hears why.
        } catch {
            pipe.close(SocketClose(.fault, "a fault of the server"))
        }
    }

    private func listen() async throws {
        var messages = pipe.messages.makeAsyncIterator()
        guard let first = await messages.next() else { return }
        guard case .identify(let token, let id) = try SocketMessage(first) else {
            throw SocketClose(.badMessage, "the first message is identify")
        }
        // The time that the client has taken is not the store's.
        let context = context.begunAgain()
        let person = try await parts.people.person(token: token, context)
        let subscription = try await EventSubscriber(parts: parts).subscribe(
            person,
            .webSocket,
            after: id,
            context,
            drop: { [pipe] in pipe.close(.slow) }
        )
        parts.waiting.served(context.channel)
        try await pipe.send([SocketAnswer.ready(person)])
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await tell(subscription) }
            group.addTask { try await hear() }
            // Whichever ends first ends the other: a client that has gone is told nothing more.
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    /// Sends what happens.
    private func tell(_ subscription: AccountEventSubscription) async throws {
        var turns = subscription.turns()
        while true {
            switch await turns.next(isolation: #isolation) {
            case .told(let told): if !told.isEmpty { try await pipe.send(told.map(SocketAnswer.event)) }
            case .sessionEnded: throw SocketClose.sessionEnded
            case .over: throw SocketClose.goingAway
            }
        }
    }

    /// Answers what the client says, until it says nothing more.
    private func hear() async throws {
        for await text in pipe.messages {
            guard case .heartbeat = try SocketMessage(text) else {
                throw SocketClose(.badMessage, "who it is was said already")
            }
            try await pipe.send([SocketAnswer.heartbeat])
        }
    }
}
