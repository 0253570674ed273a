import WaybillAudience
import WaybillEncoding
import WaybillNotifications

/// Finds a notification's own audience among all of its name: pure.
struct AudienceMatch {
    /// Whose notifications are that do not say so.
    let unnamed: String
    /// Whose those of services are; `nil`: there are none.
    let ofServices: String?

    /// - Parameters:
    ///   - followed: which notification.
    ///   - found: the audiences of its name, of any client.
    /// - Returns: its own, or another one of its client with the same name; other clients' are none of its business.
    func record(of followed: PostedStore.Followed, among found: [AudienceRecord]) -> AudienceRecord? {
        if let digest = followed.digest, let own = found.first(where: { $0.digest == digest }) { return own }
        let client = client(of: followed)
        return found.first { record in client.map { record.client.isExactly($0) } ?? true }
    }

    /// Whose a notification's audience is; `nil`: nobody knows.
    func client(of followed: PostedStore.Followed) -> String? {
        followed.isOfService ? ofServices : followed.client ?? unnamed
    }
}
