import Testing

@testable import WaybillHTTPAPI
@testable import WaybillNotifications

/// What waits for one listener: a bounded number of events, each once.
struct EventListenerTests {
    private func entry(_ id: Int) throws -> AccountEventTail.Entry {
        let text = String(id, radix: 16)
        return AccountEventTail.Entry(
            event: AccountEvent(id: "\(id)", account: "acc_a", kind: .service, at: 0, data: "{}"),
            position: try #require(
                AccountEventTail.Position(String(repeating: "0", count: 20 - text.count) + text)
            )
        )
    }

    private func ids(_ items: [EventListener.Item]) -> [String] {
        items.map { item in
            switch item {
            case .event(let entry): entry.event.id
            case .reset: "reset"
            }
        }
    }

    @Test func moreThanTheMostWaitForNobody() throws {
        let listener = EventListener(account: "acc_a")
        listener.begin(with: [])
        for id in 0..<EventListener.most { #expect(listener.offer(try entry(id))) }
        #expect(!listener.offer(try entry(EventListener.most)))
        #expect(ids(listener.take()) == (0..<EventListener.most).map { "\($0)" })
        // There is room again.
        #expect(listener.offer(try entry(EventListener.most)))
        #expect(ids(listener.take()) == ["\(EventListener.most)"])
    }

    @Test func whatWasMissedComesFirstAndOnce() throws {
        let listener = EventListener(account: "acc_a")
        for id in [2, 3] { #expect(listener.offer(try entry(id))) }
        #expect(listener.take().isEmpty)
        listener.begin(with: [try entry(1), try entry(2)])
        #expect(ids(listener.take()) == ["1", "2", "3"])
        for id in [2, 4] { #expect(listener.offer(try entry(id))) }
        #expect(ids(listener.take()) == ["4"])
        listener.loseTrack()
        #expect(ids(listener.take()) == ["reset"])
    }

    @Test func whereNobodyKnowsWhatWasMissedThatIsToldFirst() throws {
        let listener = EventListener(account: "acc_a")
        #expect(listener.offer(try entry(1)))
        listener.begin(with: nil)
        #expect(ids(listener.take()) == ["reset", "1"])
    }
}
