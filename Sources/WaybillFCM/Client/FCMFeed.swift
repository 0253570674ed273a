extension FCMClient {
    /// Sends messages as they come, with so many under way at most.
    ///
    ///     try await client.send(contentsOf: messages, atMost: 500) { end in
    ///         if case .success(let response) = end.result { … }
    ///     }
    ///
    /// For more messages than fit into memory: the next one is asked for when one has ended. When the sequence or the
    /// closure throws, or the task is cancelled, what has not left is taken back, and what is on the wire is waited for.
    ///
    /// - Parameters:
    ///   - messages: what to send.
    ///   - limit: how many may be under way; at least 1. A connection carries about 100.
    ///   - receive: told each message's end, one after the other, in the order of FCM's answers.
    /// - Throws: what the sequence or the closure throws.
    public func send<Messages: AsyncSequence & Sendable>(
        contentsOf messages: Messages,
        atMost limit: Int,
        _ receive: (FCMBatch.End) async throws -> Void
    ) async throws where Messages.Element == FCMMessage {
        precondition(limit > 0, "a feed with room for nothing")
        try await withThrowingTaskGroup(of: FCMBatch.End.self) { group in
            var index = 0
            for try await message in messages {
                if index >= limit, let end = try await group.next() { try await receive(end) }
                let number = index
                group.addTask { await self.end(of: message, number) }
                index += 1
            }
            while let end = try await group.next() { try await receive(end) }
        }
    }

    private func end(of message: FCMMessage, _ index: Int) async -> FCMBatch.End {
        do throws(FCMError) {
            return FCMBatch.End(index: index, result: .success(try await send(message)))
        } catch {
            return FCMBatch.End(index: index, result: .failure(error))
        }
    }
}
