package import WaybillHTTP2

/// The rules of one push service: how a request is written, and what an answer means.
///
/// A lane has one of its own, which belongs to the driver's thread. The service keeps the requests, under the numbers of
/// their batches, and the transport never looks into them: it asks for what it must know of one (``RequestFacts``), has it
/// written when a stream is free, and says once, when it is over, how it ended.
package protocol PushService: AnyObject, SendableMetatype {
    /// Requests that are handed over together.
    associatedtype Batch: Sendable

    // MARK: Requests

    /// Keeps a batch until ``release(batch:)``.
    ///
    /// - Returns: its number, which no other batch of the lane has until then, and what is in it.
    func keep(_ batch: Batch) -> KeptBatch

    /// Every request of a batch has ended.
    func release(batch: Int)

    /// What the transport must know of a request before it is sent.
    func facts(of request: RequestID) -> RequestFacts

    /// Where ``write(_:authorization:names:)`` writes to: the same block for every request.
    var head: HTTP2HeaderBlock { get }

    /// Writes a request's headers to ``head``, in place of what stood there.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - authorization: the value of `authorization`; `nil` where the TLS handshake says who sends.
    ///   - names: of the connection that the request goes out on.
    /// - Returns: the body.
    /// - Throws: which value may not stand in a header; the request then ends as not sent.
    func write(
        _ request: RequestID,
        authorization: [UInt8]?,
        names: inout HeaderNames
    ) throws(HeaderRefusal) -> ArraySlice<UInt8>

    // MARK: Answers

    /// Which headers of answers are kept, besides those of HTTP itself that the transport wants.
    var answerHeaders: AnswerHeaderNames { get }

    /// How many bytes of the answer's body are kept.
    func answerLimit(of request: RequestID) -> Int

    /// Reads an answer that is more than a bare 200.
    ///
    /// - Parameters:
    ///   - answer: as it came.
    ///   - request: what it answers.
    ///   - unixSeconds: the present, which a `retry-after` may be counted from.
    /// - Returns: what the sender is told, and what it means for the lane.
    func read(_ answer: RawAnswer, to request: RequestID, at unixSeconds: Int64) -> ReadAnswer

    /// The service's own word in the debug data of a GOAWAY, if there is one.
    func goAwayReason(_ debugData: UnsafeRawBufferPointer) -> String?

    /// Why there is no token after an answer with this reason, for a person.
    func tokenProblem(_ reason: String) -> String

    // MARK: Ends

    /// A request is over: called once for each.
    func ended(_ request: RequestID, _ end: RequestEnd)

    /// A turn of the loop is over: hands out what has ended in it.
    func handOut()
}

/// Where a request stands: its batch's number, and its place there.
package struct RequestID: Hashable, Sendable {
    package let batch: Int
    package let position: Int

    @inlinable
    package init(batch: Int, position: Int) {
        self.batch = batch
        self.position = position
    }
}

/// Whoever handed a batch over, may take it back, and is named by each of its ends.
///
/// A class, so that an end finds its batch by one reference instead of a look-up.
package protocol PushRequestOwner: AnyObject, Sendable {
    /// Whether its requests let those of others go first; asked once for each batch.
    var yields: Bool { get }
}

extension PushRequestOwner {
    package var yields: Bool { false }
}

/// What a service says of a batch that it keeps.
package struct KeptBatch {
    package let number: Int
    package let owner: any PushRequestOwner
    /// How many requests are in it.
    package let count: Int
    /// Whether it goes ahead of all others, and is not slowed by a ramp of the lane's pace.
    package let isUrgent: Bool

    package init(number: Int, owner: any PushRequestOwner, count: Int, isUrgent: Bool = false) {
        self.number = number
        self.owner = owner
        self.count = count
        self.isUrgent = isUrgent
    }
}

/// What the transport must know of a request.
package struct RequestFacts: Hashable {
    /// The size of its body in bytes.
    package var bodySize: Int
    /// Seconds since 1970 from which on it is not put on a stream any more; `Int64.max` for never.
    package var notAfter: Int64
    /// Whether it may be sent again when nobody knows if the first one was taken.
    package var resendsUnknown: Bool
    /// How often it may wait here for the time that an answer asks for (``AnswerVerdict/later(_:)``), to be sent again.
    package var attemptsLeft: Int

    @inlinable
    package init(bodySize: Int, notAfter: Int64, resendsUnknown: Bool, attemptsLeft: Int = 0) {
        self.bodySize = bodySize
        self.notAfter = notAfter
        self.resendsUnknown = resendsUnknown
        self.attemptsLeft = attemptsLeft
    }
}

/// What keeps a request from being written: a value that may not stand in a header.
package struct HeaderRefusal: Error, Hashable {
    /// The value, as one word: `invalid_topic`.
    package let word: String

    package init(word: String) {
        self.word = word
    }
}
