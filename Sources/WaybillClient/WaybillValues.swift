public import Foundation

/// Why something was not done.
public enum WaybillError: Error, Sendable {
    /// Nobody has logged in, or the session has ended: log in again.
    case notLoggedIn
    /// The server's answer: its status, why, and after how many seconds to come again, where it says that.
    case problem(status: Int, detail: String, retryAfter: Int?)
    /// The answer is none of a Waybill server.
    case unreadable
}

/// What an app keeps of a session: whoever has it is logged in, so it belongs into the keychain.
public struct WaybillSession: Codable, Hashable, Sendable {
    /// Names it in the person's list of sessions.
    public let id: String
    /// The account's id.
    public let account: String
    /// Holds until ``accessExpires``.
    public let accessToken: String
    /// By this device's clock.
    public let accessExpires: Date
    /// Holds once: each renewal has the next one.
    public let refreshToken: String

    init(_ data: Data) throws {
        struct Tokens: Decodable {
            let session, account, accessToken, refreshToken: String
            let expiresIn: Double
        }
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        guard let tokens = try? decoder.decode(Tokens.self, from: data) else { throw WaybillError.unreadable }
        id = tokens.session
        account = tokens.account
        accessToken = tokens.accessToken
        accessExpires = Date(timeIntervalSinceNow: tokens.expiresIn)
        refreshToken = tokens.refreshToken
    }
}

/// What a service has said, and what it is to this account.
public struct WaybillNotification: Decodable, Hashable, Sendable, Identifiable {
    /// Whether it was for the person's devices, and what they have done with it.
    public struct Receipt: Decodable, Hashable, Sendable {
        /// `queued`: for their devices; `suppressed`: not for these.
        public let state: String
        /// Why it was suppressed: `level`, `muted` or `quiet_hours`.
        public let reason: String?
        /// When the person has read it, on whichever device; `nil`: not yet.
        public let readAt: Date?
        /// When the person has acknowledged it; `nil`: not yet.
        public let acknowledgedAt: Date?

        enum CodingKeys: String, CodingKey {
            case state, reason
            case readAt = "read_at"
            case acknowledgedAt = "acknowledged_at"
        }
    }

    /// Names it wherever it is asked for: a UUID.
    public let id: String
    /// The service's id.
    public let service: String
    /// `info`, `warning`, `error` or `critical`.
    public let level: String
    /// The heading of what the phone shows, if there is one.
    public let title: String?
    /// What the phone shows.
    public let body: String
    /// More of it, for the app.
    public let text: String?
    /// Where there is more, as the service said it: an app checks it before it opens it.
    public let url: String?
    /// When the service said it.
    public let at: Date
    /// What it is to this account; `nil`: it was not for this account.
    public let receipt: Receipt?
}

/// Part of what an account was told.
public struct WaybillPage: Sendable {
    /// The latest first.
    public let notifications: [WaybillNotification]
    /// The cursor of the next page; `nil`: this is the last.
    public let next: String?

    init(_ data: Data) throws {
        struct Page: Decodable {
            let data: [WaybillNotification]
            let next: String?
        }
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom { decoder in
            let text = try decoder.singleValueContainer().decode(String.self)
            let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
            guard let date = try? style.parse(text) else { throw WaybillError.unreadable }
            return date
        }
        guard let page = try? decoder.decode(Page.self, from: data) else { throw WaybillError.unreadable }
        notifications = page.data
        next = page.next
    }
}
