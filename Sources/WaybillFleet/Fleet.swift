/// The collection in which processes tell of themselves, and its fields.
enum Fleet {
    static let collection = "processes"

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
}
