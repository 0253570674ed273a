import Hummingbird
import NIOCore
import ServiceLifecycle
import WaybillDeliveryLog
import WaybillTLS
import WaybillThreads

/// Records page after page, each read when the client has taken the one before it.
///
/// It ends with a cursor where it may not go on: after so many records, after a time, when the store does not answer and when
/// the server ends.
struct DeliveryStream: AsyncSequence, Sendable {
    let format: DeliveryFormat
    /// Of its cursors.
    let seal: Seal
    let tokens: DeliveryJSON.Tokens
    /// Is there already.
    let first: DeliveryPage
    /// The most records.
    let most: Int
    let channel: any Channel
    /// Where a client that is too slow is counted.
    let refusals: RefusalTally
    /// Held as long as the stream is.
    let place: StreamPlace
    /// Reads the page of so many records that begins there.
    let read: @Sendable (DeliveryPosition, Int) async throws(Problem) -> DeliveryPage

    func makeAsyncIterator() -> Iterator { Iterator(stream: self) }

    struct Iterator: AsyncIteratorProtocol {
        private enum Place {
            case header
            case page(DeliveryPage)
            case behind(DeliveryPosition)
            case end
        }

        private let stream: DeliveryStream
        private let end = MonotonicTime.now().advanced(by: APILimits.streamTime)
        private var place = Place.header
        private var left: Int
        /// Ends the connection of a client that takes nothing for too long.
        private var patience: Scheduled<Void>?

        init(stream: DeliveryStream) {
            self.stream = stream
            left = stream.most
        }

        mutating func next() async throws -> ByteBuffer? {
            // What was handed out before is on its way.
            patience?.cancel()
            patience = nil
            while let text = await text() {
                guard !text.isEmpty else { continue }
                let (channel, refusals) = (stream.channel, stream.refusals)
                patience = channel.eventLoop.scheduleTask(in: APILimits.streamReadingTime) {
                    refusals.count(.slowReader)
                    channel.close(promise: nil)
                }
                return ByteBuffer(string: text)
            }
            return nil
        }

        private mutating func text() async -> String? {
            switch place {
            case .header:
                place = .page(stream.first)
                return stream.format.header
            case .page(let page):
                left -= page.records.count
                place = page.next.map(Place.behind) ?? .end
                return page.records.map { stream.format.line($0, tokens: stream.tokens) }.joined()
            case .behind(let next):
                guard let page = await page(next) else {
                    place = .end
                    return stream.format.end(stream.seal.cursor(next))
                }
                place = .page(page)
                return ""
            case .end: return nil
            }
        }

        private func page(_ next: DeliveryPosition) async -> DeliveryPage? {
            guard left > 0, MonotonicTime.now() < end, !Task.isShuttingDownGracefully else { return nil }
            return try? await stream.read(next, Swift.min(left, DeliveryPage.mostRecords))
        }
    }
}
