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
    public let id: String
    /// The account's id.
    public let account: String
    /// Holds until ``accessExpires``.
    public let accessToken: String
    public let accessExpires: Date
    /// Holds once: each renewal has the next one.
    public let refreshToken: String

    init(_ data: Data) throws {
        struct Tokens: Decodable {
            let session, account, access_token, refresh_token: String
            let expires_in: Double
        }
        guard let tokens = try? JSONDecoder().decode(Tokens.self, from: data) else { throw WaybillError.unreadable }
        id = tokens.session
        account = tokens.account
        accessToken = tokens.access_token
        accessExpires = Date(timeIntervalSinceNow: tokens.expires_in)
        refreshToken = tokens.refresh_token
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
        public let readAt: Date?
        public let acknowledgedAt: Date?

        enum CodingKeys: String, CodingKey {
            case state, reason
            case readAt = "read_at"
            case acknowledgedAt = "acknowledged_at"
        }
    }

    public let id: String
    /// The service's id.
    public let service: String
    /// `info`, `warning`, `error` or `critical`.
    public let level: String
    public let title: String?
    public let body: String
    public let text: String?
    public let url: String?
    /// When the service said it.
    public let at: Date
    public let receipt: Receipt?
}

/// Part of what an account was told.
public struct WaybillPage: Sendable {
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
