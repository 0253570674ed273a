import WaybillMongo
import WaybillOutbox

/// Something that is read as it is written to the store, from one place on, for the endpoints that want to hear of it.
protocol WebhookStream {
    /// What processes take turns at.
    static var work: WebhookProgress.Work { get }
    /// What the log says when a turn begins; `nil` for nothing.
    static var turnEvent: WebhookLogEvent? { get }

    /// Whether an endpoint wants to hear of anything in it.
    static func isWanted(by endpoint: WebhookEndpoint) -> Bool

    /// - Parameters:
    ///   - store: where it is.
    ///   - position: where it was read last; `nil`, or what is none, begins at `second`.
    ///   - second: since 1970, by the store's clock.
    init(_ store: WebhookStore, from position: String?, second: Int64)

    /// Waits for what is written, a second at most.
    ///
    /// - Parameters:
    ///   - endpoints: who is told; to be asked when something has been read: then whoever was there before it was written is
    ///     among them.
    ///   - place: how far it is; then behind what was read, with the last numbers of events that have one.
    /// - Returns: what is to be told.
    /// - Throws: what the store says; the reader then makes a new stream.
    mutating func next(
        for endpoints: () throws(MongoError) -> [WebhookEndpoint],
        at place: inout WebhookProgress.Place
    ) throws(MongoError) -> WebhookFindings
}

/// The store as streams read it.
struct WebhookStore {
    let client: MongoClient
    let database: String
    let settings: HooksSettings.Webhooks
}

/// What a stream has found for endpoints.
struct WebhookFindings {
    var events: [(event: WebhookEvent, endpoint: String)] = []
    /// Whether something before these is missing, since the store had forgotten where the stream was.
    var hasGap = false
}
