import HTTPTypes
import WaybillEncoding
import WaybillOutbox

/// What people type about webhooks: 400 for what has not the form.
enum ServiceWebhookForm {
    /// Never without TLS: whoever runs the installation may allow that for their own clients alone.
    static func url(_ text: String) throws(Problem) -> WebhookURL {
        do throws(WebhookURL.Problem) {
            return try WebhookURL(text, allowsPlain: false)
        } catch {
            throw Problem.refused(.webhookURL, error.description)
        }
    }

    /// None is all.
    static func events(_ names: [String]) throws(Problem) -> [WebhookEventType] {
        var events: [WebhookEventType] = []
        for name in names {
            guard let event = WebhookEventType(rawValue: name), WebhookEventType.ofServices.contains(event) else {
                let known = WebhookEventType.ofServices.map(\.rawValue).joined(separator: ", ")
                throw Problem(.badRequest, "events are of \(known)")
            }
            guard !events.contains(event) else { throw Problem(.badRequest, "events has \(name) twice") }
            events.append(event)
        }
        return events
    }

    /// The members of a body that says what is told again.
    static let replay: Set<String> = ["event", "since", "until", "failed"]

    /// One event, those that were given up, or those of a time.
    static func selection(_ body: BodyText) throws(Problem) -> ServiceWebhooks.Selection {
        try body.form { body, checks in
            let (event, onlyFailed) = (body.value("event"), body.flag("failed"))
            let until = checks.read("until") { () throws(Problem) in try moment("until", body) }
            let since = checks.read("since") { () throws(Problem) in
                let since = try moment("since", body)
                guard (since ?? 0) < (until ?? nil) ?? .max else {
                    throw .field("since", "since is earlier than until")
                }
                return since
            }
            guard checks.areMet, let since, let until else { return nil }
            guard event != nil || onlyFailed || since != nil else {
                checks.note(.members("say what: event, failed or since"))
                return nil
            }
            return ServiceWebhooks.Selection(
                event: event,
                dates: (since ?? 0)..<(until ?? .max),
                onlyFailed: onlyFailed
            )
        }
    }

    private static func moment(_ name: String, _ body: BodyText.Members) throws(Problem) -> Int64? {
        guard let text = body.value(name) else { return nil }
        guard let time = TimeText.instant(text), time >= 0 else {
            throw Problem(.badRequest, "\(name) must be a time with Z or an offset, such as 2026-12-24T18:00:00Z")
        }
        return time
    }
}
