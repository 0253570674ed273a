import WaybillCore
import WaybillEncoding
import WaybillProviders

/// What is worth a word of messages that nothing is wrong with.
struct SendNotes {
    /// More names are not told.
    private static let mostClients = 5

    private var criticalWithoutEnd = 0
    private var clients: [String] = []
    private let retention: RetentionPolicy?

    /// - Parameter retention: of the configuration, which names the clients; `nil` where it has none.
    init(retention: RetentionPolicy?) {
        self.retention = retention
    }

    /// Takes a message, as a dispatcher reads it.
    mutating func add(_ batch: Batch) {
        if let client = batch.client, !clients.contains(where: client.isExactly), clients.count < Self.mostClients {
            clients.append(client)
        }
        criticalWithoutEnd += batch.items.count { item in
            guard case .valid(let notification) = item.content, notification.maxAge == nil else { return false }
            return mayBeLate(notification, of: batch) && Self.isCritical(notification)
        }
    }

    /// Whether a notification may ring more than an hour after its message's own time, though the message sets no limit.
    private func mayBeLate(_ notification: Notification, of batch: Batch) -> Bool {
        let end = notification.expiration.end
        let hour = Int64(batch.identity.milliseconds ?? 0) / 1000 + 3_600
        return end == .max || notification.expirationFrom != .message && end > hour
    }

    /// Whether it rings though the phone is muted: FCM's rules note it, and APNs' payload says it.
    private static func isCritical(_ notification: Notification) -> Bool {
        if notification.note.isUrgent { return true }
        guard notification.payload.firstRange(of: word.utf8) != nil else { return false }
        let payload = Array(notification.payload)
        guard let members = (try? JSONReader.members(of: payload)) ?? nil,
            let aps = members.last(where: { $0.name == "aps" }),
            let own = (try? JSONReader.members(of: payload, in: aps.value)) ?? nil
        else { return false }
        return payload.withUnsafeBufferPointer { bytes in
            let reader = JSONReader(bytes)
            return own.contains { $0.name == "interruption-level" && reader.string($0) == word }
        }
    }

    private static let word = "critical"

    /// Each a sentence without its full stop.
    var sentences: [String] {
        var sentences = clients.compactMap { ClientWords.unnamed($0, retention) }
        if criticalWithoutEnd > 0 {
            let (have, they) = criticalWithoutEnd == 1 ? ("has", "it") : ("have", "they")
            sentences.append(
                "\(Counted.text(criticalWithoutEnd, "critical notification")) \(have) neither a time in expiration nor a max_age: where the push "
                    + "service or the device cannot be reached, \(they) may ring hours later"
            )
        }
        return sentences
    }
}
