/// The collections in which processes tell of themselves and operators give orders, and their fields.
enum Fleet {
    static let processes = "processes"
    static let orders = "orders"

    /// Of a process's lease.
    enum Field {
        static let id: StaticString = "_id"
        static let role: StaticString = "role"
        static let host: StaticString = "host"
        static let process: StaticString = "pid"
        static let version: StaticString = "version"
        static let started: StaticString = "started"
        static let seen: StaticString = "seen"
        static let isEnded: StaticString = "ended"
        static let status: StaticString = "status"
        static let expiresAt: StaticString = "expires_at"
    }

    /// Of an order.
    enum OrderField {
        static let id: StaticString = "_id"
        /// `lane`, `cancel`, or `lifted` for a cancellation that was taken back.
        static let kind: StaticString = "kind"
        static let lane: StaticString = "lane"
        static let state: StaticString = "state"
        static let batch: StaticString = "batch_id"
        static let client: StaticString = "client"
        static let source: StaticString = "by"
        static let given: StaticString = "at"
        static let note: StaticString = "note"
        /// Of a cancellation: the latest time of its own that a message may have; where it is missing, that of the order.
        static let coversUntil: StaticString = "covers_until"
        /// Who has taken a cancellation back, when and why.
        static let liftedBy: StaticString = "lifted_by"
        static let liftedAt: StaticString = "lifted_at"
        static let liftedNote: StaticString = "lifted_note"
        static let expiresAt: StaticString = "expires_at"
    }
}
