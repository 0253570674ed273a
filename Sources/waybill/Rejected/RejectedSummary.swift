import WaybillEncoding

/// What was done to the rejected queue, for a person or a program.
struct RejectedSummary {
    private let verb: String
    private let count: Int
    private let total: Int
    private let queue: String
    /// How many have been rejected again meanwhile, where that was looked at.
    var returned: Int?

    /// - Parameters:
    ///   - verb: what was done, such as `dropped`.
    ///   - count: to how many messages.
    ///   - total: how many there were.
    ///   - queue: the queue's name.
    init(_ verb: String, _ count: Int, of total: Int, _ queue: String) {
        self.verb = verb
        self.count = count
        self.total = total
        self.queue = queue
    }

    func show(asJSON: Bool) {
        guard asJSON else {
            guard total > 0 else { return Terminal.say("waybill rejected: \(Self.none(in: queue))") }
            Terminal.say("waybill rejected: \(verb) \(count) of \(total) in \(queue)")
            if let text { Terminal.say("waybill rejected: \(text)") }
            return
        }
        var object = JSONObject()
        object.add(verb, count)
        object.add("left", max(0, total - count))
        if let returned { object.add("returned", returned) }
        Output.json(object)
    }

    /// That nothing was there to be taken; what somebody holds without reading is not seen.
    static func none(in queue: String) -> String { "no message of \(queue) is ready" }

    /// What became of them since.
    private var text: String? {
        switch returned {
        case nil: nil
        case 0: "none has come straight back; waybill rejected shows what does later"
        case .some(let returned):
            "\(Counted.text(returned, "message")) came straight back: the reason still holds, and waybill rejected shows it"
        }
    }
}
