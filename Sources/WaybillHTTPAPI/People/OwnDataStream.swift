import NIOCore
import ServiceLifecycle
import WaybillEncoding
import WaybillNotifications

/// The export of an account: each page of notifications is read when the client has received the page before it.
///
/// Where a page cannot be read, the connection ends before the object does, so that no part passes for the whole.
struct OwnDataStream: AsyncSequence, Sendable {
    /// The object as far as its notifications.
    let opening: [UInt8]
    let first: ReceiptPage
    let channel: any Channel
    /// Where a client that is too slow is counted.
    let refusals: RefusalTally
    /// Held as long as the stream is.
    let place: StreamPlace
    /// Reads the page behind a notification.
    let read: @Sendable (NotificationPlace) async throws(Problem) -> ReceiptPage

    func makeAsyncIterator() -> Iterator { Iterator(stream: self) }

    struct Iterator: AsyncIteratorProtocol {
        private enum Step {
            case opening
            case page(ReceiptPage)
            case behind(NotificationPlace)
            case end
        }

        private let stream: OwnDataStream
        private var step = Step.opening
        private var needsComma = false
        /// Ends the connection of a client that receives nothing for too long.
        private var patience: Scheduled<Void>?

        init(stream: OwnDataStream) {
            self.stream = stream
        }

        mutating func next() async throws -> ByteBuffer? {
            // The former part is on its way.
            patience?.cancel()
            patience = nil
            while let json = try await part() {
                guard !json.isEmpty else { continue }
                let (channel, refusals) = (stream.channel, stream.refusals)
                patience = channel.eventLoop.scheduleTask(in: APILimits.streamReadingTime) {
                    refusals.count(.slowReader)
                    channel.close(promise: nil)
                }
                return ByteBuffer(json: json)
            }
            return nil
        }

        private mutating func part() async throws -> [UInt8]? {
            switch step {
            case .opening:
                step = .page(stream.first)
                return stream.opening
            case .page(let page): return elements(page)
            case .behind(let place):
                guard !Task.isShuttingDownGracefully else { throw Problem.ending }
                return elements(try await stream.read(place))
            case .end: return nil
            }
        }

        private mutating func elements(_ page: ReceiptPage) -> [UInt8] {
            var json = JSONWriter(capacity: 512 * (page.entries.count + 1))
            json.beginArray()
            for (notification, receipt) in page.entries {
                json.beginObject()
                NoticeJSON.members(notification, receipt, to: &json)
                json.endObject()
            }
            // Without the bracket, which the opening has.
            var bytes = Array(json.bytes.dropFirst())
            if needsComma, !bytes.isEmpty { bytes.insert(UInt8(ascii: ","), at: 0) }
            needsComma = needsComma || !bytes.isEmpty
            if page.next == nil { bytes += Array("]}\n".utf8) }
            step = page.next.map(Step.behind) ?? .end
            return bytes
        }
    }
}
