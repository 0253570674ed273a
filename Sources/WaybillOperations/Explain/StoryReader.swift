import WaybillCore
import WaybillDeliveryLog
import WaybillEncoding

/// Who reads a story, and what they can do about it.
enum StoryReader: Hashable, Sendable {
    /// Whoever looks after the installation, with its commands.
    case operators
    /// Whoever has a key of the HTTP API for some clients.
    case client(AdviceRoute.Access)

    var isOperator: Bool { self == .operators }

    /// What shows one notification whole.
    func explaining(_ id: NotificationID) -> String {
        isOperator ? "`waybill explain \(id)`" : "`GET /v1/explain?apns_id=\(id)`"
    }

    /// Where a push may be of which nothing is recorded.
    var whereItMayBe: [String] {
        guard isOperator else {
            return [
                "Does it wait, or was it rejected? The operator sees what waits in the queues, and what could not be read or "
                    + "was not allowed.",
                "Is it too old? A record goes with its client's retention.",
            ]
        }
        return [
            "Does it wait, or was it rejected? `waybill status` shows what waits, `waybill rejected` what could not be read or "
                + "was not allowed.",
            "Is it too old, or of another installation? Records end with `retention`; `waybill check` names broker and store.",
        ]
    }

    /// Advice that ends with a command, as it is understood without one.
    func understands(_ advice: [String]) -> [String] {
        guard !isOperator else { return advice }
        return advice.map { sentence in
            sentence.firstRange(of: ": `").map { "\(sentence[..<$0.lowerBound]), ask the operator." } ?? sentence
        }
    }

    /// What takes a cancellation back.
    func lift(_ order: BatchStory.Cancellation) -> String {
        let words = "To send what still waits of it after all"
        switch self {
        case .operators:
            let client = order.client.map { " --client \(ShellWord.quoted($0))" } ?? ""
            return "\(words): `waybill cancel --lift \(ShellWord.quoted(order.batch))\(client)`."
        case .client(let access) where access.contains(.batches) && order.client != nil:
            let client = order.client.map { "?client=\(PercentEncoding.encode($0))" } ?? ""
            return "\(words): `DELETE /v1/batches/\(PercentEncoding.encode(order.batch))/cancel\(client)`."
        case .client: return "\(words), ask the operator to lift the cancellation."
        }
    }
}
