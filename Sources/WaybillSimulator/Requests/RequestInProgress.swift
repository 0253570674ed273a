/// One request from its first header to the close of its stream.
///
/// Reused: streams come and go by the thousand.
final class RequestInProgress {
    var stream: Int32 = 0
    var head = RequestHead()
    /// The body, cut off far beyond every limit.
    private(set) var payload: [UInt8] = []
    /// Whether the sender has finished.
    var isComplete = false
    /// How large the header list is, as SETTINGS_MAX_HEADER_LIST_SIZE counts it (RFC 9113 §6.5.2).
    var headerListSize = 0
    /// Whether it is about broadcast channels, so that `apns-request-id` names it.
    var isAboutChannels = false
    /// The rule that was taken when the headers had come; `nil` when none was asked for then.
    var rule: SimulatorRule??
    /// What is going to happen, once that is decided.
    var decision: Decision?

    /// More than any payload limit, so that the validator still sees one that is too large.
    private static let keptBytes = 16 * 1024

    /// Makes the object ready for another request.
    func begin(stream: Int32) {
        self.stream = stream
        head.removeAll()
        payload.removeAll(keepingCapacity: true)
        isComplete = false
        headerListSize = 0
        isAboutChannels = false
        rule = nil
        decision = nil
    }

    func append(_ bytes: UnsafeRawBufferPointer) {
        payload.append(contentsOf: bytes.prefix(Self.keptBytes - payload.count))
    }
}
