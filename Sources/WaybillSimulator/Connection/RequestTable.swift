/// The requests of one connection: whose streams are open, and how far they are decided.
///
/// Pure, apart from the objects that it uses again.
struct RequestTable {
    private var open: [Int32: RequestInProgress] = [:]
    private var spare: [RequestInProgress] = []
    /// The most streams that were open at once.
    private(set) var peak = 0
    /// The highest stream that has begun.
    private(set) var lastStream: Int32 = 0
    /// The highest stream whose request is decided.
    private(set) var lastDecided: Int32 = 0
    /// Requests above this stream are not served: a GOAWAY has said so.
    private(set) var lastServed = Int32.max

    var isEmpty: Bool { open.isEmpty }

    /// The requests whose last byte has not come.
    var incompleteCount: Int { open.values.count { !$0.isComplete } }

    /// The request of an open stream.
    subscript(stream: Int32) -> RequestInProgress? { open[stream] }

    /// A header block begins.
    ///
    /// - Returns: the new request; `nil` for a second block on a stream, which holds trailers.
    mutating func begin(stream: Int32) -> RequestInProgress? {
        guard open[stream] == nil else { return nil }
        let request = spare.popLast() ?? RequestInProgress()
        request.begin(stream: stream)
        open[stream] = request
        lastStream = max(lastStream, stream)
        peak = max(peak, open.count)
        return request
    }

    /// The stream is closed.
    ///
    /// - Returns: the request; it is used again for a later stream.
    mutating func close(stream: Int32) -> RequestInProgress? {
        guard let request = open.removeValue(forKey: stream) else { return nil }
        spare.append(request)
        return request
    }

    /// Whether a request is still to be decided, and a GOAWAY has not said that it is not.
    func awaitsDecision(_ request: RequestInProgress) -> Bool {
        !request.isComplete && request.stream <= lastServed
    }

    /// The request is being decided.
    mutating func decide(_ request: RequestInProgress) {
        request.isComplete = true
        lastDecided = max(lastDecided, request.stream)
    }

    /// The last stream that a GOAWAY of some form names.
    ///
    /// - Parameters:
    ///   - form: the form.
    ///   - stream: the stream that calls for it; `nil` when no request does.
    /// - Returns: the stream's number.
    func lastStream(_ form: SimulatorGoAway.LastStream, on stream: Int32?) -> Int32 {
        switch form {
        case .all, .graceful: lastStream
        case .this: max(stream ?? lastDecided, lastDecided)
        case .none: max(stream.map { previousDecided(before: $0) } ?? lastDecided, 0)
        }
    }

    /// The highest stream that has to count as processed when this one does not.
    private func previousDecided(before stream: Int32) -> Int32 {
        lastDecided > stream ? lastDecided : stream - 2
    }

    /// A GOAWAY names a last stream.
    ///
    /// - Returns: the lowest that any has named: a later one may not take back what an earlier one said.
    mutating func serve(upTo last: Int32) -> Int32 {
        lastServed = min(lastServed, last)
        return lastServed
    }
}
