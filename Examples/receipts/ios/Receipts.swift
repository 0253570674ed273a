import Foundation

/// Says what became of a push on this device: a file for the app and its notification service extension alike.
///
/// Set ``server`` to where your `waybill serve` is. What cannot be said now waits in a file that both share by an App Group, and is
/// said with the next one.
struct Receipts: Sendable {
    enum Event: String, Sendable {
        case received, displayed, opened, acknowledged, dismissed
    }

    static let server = URL(string: "https://push.example.com/v1/receipts")!
    /// The App Group of app and extension; both need its entitlement.
    static let group = "group.com.example.app"
    /// The most that one request may hold.
    private static let most = 50

    private struct Receipt: Codable {
        var id: String
        var cap: String
        var event: String
        var at: Int64
        var app: String?
    }

    private let id: String
    private let capability: String

    /// - Parameter userInfo: of the push; `nil` for one that asks for nothing.
    init?(_ userInfo: [AnyHashable: Any]) {
        guard let id = userInfo["wb_id"] as? String, let capability = userInfo["wb_rcpt"] as? String else { return nil }
        (self.id, self.capability) = (id, capability)
    }

    /// Says it, with what has waited.
    ///
    /// - Returns: whether it is said; otherwise it waits.
    @discardableResult
    func say(_ event: Event) async -> Bool {
        let now = Receipt(
            id: id,
            cap: capability,
            event: event.rawValue,
            at: Int64(Date().timeIntervalSince1970 * 1000),
            app: Bundle.main.infoDictionary?["CFBundleShortVersionString"] as? String
        )
        let all = (Self.waiting() + [now]).suffix(Self.most)
        // First of all: an extension may be ended at any moment.
        Self.keep(Array(all))
        guard await Self.post(Array(all)) else { return false }
        Self.keep([])
        return true
    }

    /// - Returns: false for what is to be said again.
    private static func post(_ receipts: [Receipt]) async -> Bool {
        var request = URLRequest(url: server, timeoutInterval: 10)
        request.httpMethod = "POST"
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.httpBody = try? JSONEncoder().encode(receipts)
        guard let (_, answer) = try? await URLSession.shared.data(for: request),
            let status = (answer as? HTTPURLResponse)?.statusCode
        else { return false }
        // 400, 403, 410 and 413 are final: what is good of an array is stored all the same.
        return !(status == 429 || status >= 500)
    }

    // MARK: - What waits

    private static var file: URL? {
        FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: group)?.appendingPathComponent(
            "receipts.json"
        )
    }

    private static func waiting() -> [Receipt] {
        guard let file, let data = try? Data(contentsOf: file) else { return [] }
        return (try? JSONDecoder().decode([Receipt].self, from: data)) ?? []
    }

    private static func keep(_ receipts: [Receipt]) {
        guard let file, let data = try? JSONEncoder().encode(receipts) else { return }
        // Readable before the first unlock after a start, when pushes come already.
        try? data.write(to: file, options: [.atomic, .completeFileProtectionUntilFirstUserAuthentication])
    }
}
