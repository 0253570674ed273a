import WaybillMessages
import WaybillThreads

/// Writes the bodies of dispatch messages, one after the other, into one buffer.
struct MessageWriter {
    private static let payloadStart = Array(#"{"aps":{"alert":""#.utf8)
    private static let payloadEnd = Array(#""}}"#.utf8)

    private let form: MessageForm
    private let content: MessageContent
    private let text: StampedText
    /// What each notification says besides.
    private let more: StaticString
    private var tokens: TokenSequence
    /// Notifications written so far.
    private(set) var count = 0
    /// Those of them that go to dead tokens.
    var deadCount: Int { tokens.deadCount }

    /// The smallest `size` for a kind of content.
    static func minimumSize(_ content: MessageContent) -> Int {
        StampedText.minimum + (content == .payload ? payloadStart.count + payloadEnd.count : 0)
    }

    /// The size is in bytes of the payload, or of the message's text, and at least ``minimumSize(_:)``.
    init(form: MessageForm, content: MessageContent, size: Int, isCritical: Bool = false, tokens: TokenSequence) {
        self.form = form
        self.content = content
        text = StampedText(length: size - Self.minimumSize(content) + StampedText.minimum)
        more = isCritical ? #","delivery_type":"critical""# : ""
        self.tokens = tokens
    }

    /// Replaces what is in the buffer by the next message.
    ///
    /// The batch id, of letters, digits, `-`, `_` and `.`, is not written in the array form. Every notification holds `sent`.
    mutating func write(notifications: Int, batchID: String, sent: MonotonicTime, into body: inout [UInt8]) {
        body.removeAll(keepingCapacity: true)
        switch form {
        case .array:
            body.append(UInt8(ascii: "["))
            appendNotifications(notifications, sent, to: &body)
            body.append(UInt8(ascii: "]"))
        case .envelope:
            DispatchMessage.appendNames(batchID: batchID, to: &body)
            DispatchMessage.appendOpening(of: .notifications, to: &body)
            appendNotifications(notifications, sent, to: &body)
            DispatchMessage.appendClosing(to: &body)
        case .campaign:
            DispatchMessage.appendNames(batchID: batchID, to: &body)
            appendContent(sent, to: &body)
            body.append(UInt8(ascii: ","))
            DispatchMessage.appendOpening(of: .deviceTokens, to: &body)
            for index in 0..<notifications {
                body.append(contentsOf: index == 0 ? #"""#.utf8 : #",""#.utf8)
                tokens.appendNext(to: &body)
                body.append(UInt8(ascii: "\""))
            }
            DispatchMessage.appendClosing(to: &body)
        }
        count += notifications
    }

    private mutating func appendNotifications(_ notifications: Int, _ sent: MonotonicTime, to body: inout [UInt8]) {
        for index in 0..<notifications {
            body.append(contentsOf: index == 0 ? #"{"device_token":""#.utf8 : #",{"device_token":""#.utf8)
            tokens.appendNext(to: &body)
            body.append(contentsOf: #"","#.utf8)
            appendContent(sent, number: count + index, to: &body)
            more.withUTF8Buffer { body.append(contentsOf: $0) }
            body.append(UInt8(ascii: "}"))
        }
    }

    private func appendContent(_ sent: MonotonicTime, number: Int? = nil, to body: inout [UInt8]) {
        switch content {
        case .payload:
            body.append(contentsOf: #""payload":"#.utf8)
            body.append(contentsOf: Self.payloadStart)
            text.append(sent: sent, number: number ?? count, to: &body)
            body.append(contentsOf: Self.payloadEnd)
        case .message:
            body.append(contentsOf: #""message":""#.utf8)
            text.append(sent: sent, number: number ?? count, to: &body)
            body.append(UInt8(ascii: "\""))
        }
    }
}
