import HTTPTypes
import WaybillAccounts
import WaybillCore
import WaybillEncoding
import WaybillFleet
import WaybillOperations
import WaybillThreads

/// A request to send nothing more of a batch.
struct CancelRequest: Sendable {
    /// The members of its body.
    static let members: Set<String> = ["client", "note", "ahead"]

    let batch: String
    /// Whose: those that the key is for, or the one of them that is asked for; `nil` for everybody's.
    private let clients: [String]?
    private let source: OrderSource
    /// How far the clock of the batch's producer is ahead, in milliseconds.
    private let lead: Int64

    /// - Throws: ``Problem`` 400 for what cannot be read, 404 for a client that the key is not for.
    init(_ request: APIRequest) throws(Problem) {
        batch = try request.named()
        if let fault = BatchName.fault(of: batch) { throw Problem(.badRequest, "a batch_id \(fault)") }
        (source, lead, clients) = try request.body.form { body, checks -> (OrderSource, Int64, [String]?)? in
            let source = checks.read("note") { () throws(Problem) in
                try OrderSource(request, note: body.value("note"))
            }
            let lead = checks.read("ahead") { () throws(Problem) in try Self.lead(body.value("ahead")) }
            let clients = checks.read("client") { () throws(Problem) in
                try Self.clients(request.caller.key.clients, wanted: body.value("client"))
            }
            guard let source, let lead, let clients else { return nil }
            return (source, lead, clients)
        }
    }

    /// One for each client: nobody orders for a client that is none of theirs.
    var orders: [Cancellation] {
        (clients.map { $0.map(Optional.some) } ?? [nil]).map {
            Cancellation(batch: BatchName(batch), client: $0, source: source, lead: lead)
        }
    }

    /// What was ordered, as an object.
    func json(_ given: BatchCancellation) -> [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        json.member("batch_id", batch)
        json.member("clients", clients)
        json.member("by", lineSafe: source.name)
        let order = given.orders.first
        json.member("at", TimeText.text(milliseconds: order?.source.date ?? source.date))
        json.member("note", source.note)
        if let order, order.lead > 0 {
            json.member("covers_until", TimeText.text(milliseconds: order.coversUntil))
        }
        if given.seenAhead > 0 { json.member("clock_ahead_s", given.seenAhead / 1000) }
        if case .changed(let count) = given.documents { json.member("notifications", count) }
        if let isRecorded = given.isRecorded { json.member("recorded", json: (isRecorded ? "true" : "false").utf8) }
        json.endObject()
        return json.bytes
    }

    private static func lead(_ text: String?) throws(Problem) -> Int64 {
        guard let text else { return 0 }
        guard let duration = DurationText.parse(text), duration <= BatchCancellation.mostLead else {
            throw .field("ahead", "ahead: \(DurationText.form()), 400d at most")
        }
        return Int64(duration / .milliseconds(1))
    }

    private static func clients(_ scope: ClientScope, wanted: String?) throws(Problem) -> [String]? {
        switch scope {
        case .all: return wanted.map { [$0] }
        case .only(let names):
            guard let wanted else {
                guard !names.isEmpty else { throw Problem(.notFound, "the key is for no client") }
                return names.sortedTexts
            }
            guard names.containsExactly(wanted) else { throw Problem(.notFound, "the key is not for this client") }
            return [wanted]
        }
    }
}

/// A request to send what waits of a cancelled batch after all.
struct LiftRequest: Sendable {
    /// The names that its query may have.
    static let parameters: Set<String> = ["client", "note"]
    /// Why it has no body.
    static let bodyRefusal = "this takes no body: client and note are parameters of the query here"

    let batch: String
    /// Of this client alone; `nil` for all that the key is for.
    let client: String?
    let source: OrderSource

    /// - Throws: ``Problem`` 400 for what cannot be read.
    init(_ request: APIRequest) throws(Problem) {
        batch = try request.named()
        client = try request.query.value("client")
        source = try OrderSource(request, note: try request.query.value("note"), isOfQuery: true)
    }
}

extension OrderSource {
    /// The key that asks, now.
    ///
    /// - Parameters:
    ///   - request: whose key it is.
    ///   - note: why, in its words.
    ///   - isOfQuery: whether the note is a parameter of the query, and no member of a body.
    /// - Throws: ``Problem`` 400 for a note that is too long.
    init(_ request: APIRequest, note: String?, isOfQuery: Bool = false) throws(Problem) {
        guard (note ?? "").utf8.count <= Self.mostNoteBytes else {
            let words = "note has \(Self.mostNoteBytes) bytes at most"
            throw isOfQuery ? Problem(.badRequest, words) : .field("note", words)
        }
        let key = request.caller.key
        self.init(name: "\(key.name) (\(key.id))", date: WallClock.milliseconds(), note: note)
    }
}
