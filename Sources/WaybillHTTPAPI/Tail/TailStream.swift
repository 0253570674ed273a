import NIOCore
import ServiceLifecycle
import WaybillDeliveryLog
import WaybillEncoding
import WaybillThreads

/// The events for one viewer, until they go, the server ends, or their key is good no more.
struct TailStream: AsyncSequence, Sendable {
    let feed: TailFeed
    let seat: FeedSeat<TailViewer>
    /// Held as long as the stream is.
    let place: StreamPlace
    /// Held as long as the stream is, which ends when the client goes.
    let watch: GoneClientWatch
    let tokens: DeliveryJSON.Tokens
    let ids: TailIDs
    /// Whether the viewer was here before.
    let resumed: Bool
    /// Asks whether the viewer may still look.
    let isWelcome: @Sendable () async -> Bool

    /// A sign of life, by which also the ends of dead connections are found.
    private static let commentInterval = Duration.seconds(15)
    private static let retryMilliseconds = 2000

    func makeAsyncIterator() -> Iterator {
        Iterator(stream: self, signals: seat.listener.signals.makeAsyncIterator())
    }

    struct Iterator: AsyncIteratorProtocol {
        fileprivate let stream: TailStream
        fileprivate var signals: AsyncStream<Void>.Iterator
        private var hasBegun = false
        private var commented = MonotonicTime.now()
        private var toldAlive = MonotonicTime.now()
        private var asked = MonotonicTime.now()

        fileprivate init(stream: TailStream, signals: AsyncStream<Void>.Iterator) {
            self.stream = stream
            self.signals = signals
        }

        mutating func next(isolation actor: isolated (any Actor)?) async -> ByteBuffer? {
            while !Task.isShuttingDownGracefully {
                let now = MonotonicTime.now()
                if now.duration(since: asked) >= stream.feed.limits.welcomeInterval {
                    asked = now
                    guard await stream.isWelcome() else { return nil }
                }
                let text = text(now)
                if !text.isEmpty { return ByteBuffer(string: text) }
                guard await signals.next(isolation: actor) != nil else { return nil }
            }
            return nil
        }

        /// What there is to send; empty for nothing.
        private mutating func text(_ now: MonotonicTime) -> String {
            var text = ""
            if !hasBegun {
                hasBegun = true
                text += ServerSentEvent.retry(TailStream.retryMilliseconds)
                // Who comes back goes on from where they were until they are sent what they have missed.
                if !stream.resumed { text += ServerSentEvent.comment(id: id()) }
            }
            let delivery = stream.seat.listener.take(now: now)
            if delivery.leftOut > 0 {
                text += ServerSentEvent.text("sampled", data: #"{"left_out":\#(delivery.leftOut)}"#)
            }
            for (entry, behind) in delivery.entries { text += self.text(entry, id: id(behind: behind)) }
            if now.duration(since: commented) >= TailStream.commentInterval {
                commented = now
                text += ServerSentEvent.comment(id: id())
            }
            // A comment is nothing that a page hears of, and comes from a server whose store hangs, too.
            if now.duration(since: toldAlive) >= stream.feed.limits.aliveInterval, stream.feed.isHeard(now: now) {
                toldAlive = now
                text += ServerSentEvent.text("alive", data: "{}")
            }
            return text
        }

        private func id(behind position: UInt64? = nil) -> String {
            stream.ids.text(of: stream.feed.mark(behind: position))
        }

        private func text(_ entry: TailRing.Entry, id: String) -> String {
            switch entry {
            case .record(let record):
                return ServerSentEvent.text(
                    "delivery",
                    id: id,
                    data: DeliveryJSON.line(record, tokens: stream.tokens)
                )
            case .gap(let gap):
                var object = JSONObject()
                object.add("reason", gap.rawValue)
                return ServerSentEvent.text("gap", id: id, data: object.text)
            }
        }
    }
}
