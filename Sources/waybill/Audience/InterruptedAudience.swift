import WaybillMessages
import WaybillOperations

/// What `waybill audience send` says when it is interrupted.
enum InterruptedAudience {
    /// That the broker has nothing of it.
    static let unpublished = "nothing was published"

    /// That the broker may have it, and what can be done about it.
    ///
    /// - Parameters:
    ///   - audience: what was published.
    ///   - alarm: the broker's words on an alarm that keeps its confirm away; `nil` where there is none.
    /// - Returns: behind what has happened.
    static func unconfirmed(_ audience: AudienceMessage, alarm: String?) -> String {
        let id = Cell.printable(audience.id)
        let word = ShellWord.quoted(audience.id)
        let client = ShellWord.quoted(audience.client)
        let why = alarm.map { " because of its alarm (\(Cell.printable($0)))" } ?? ""
        return
            "\(id) was given to the broker, which has not confirmed it\(why): it may be sent. See whether it is: waybill "
            + "audience show \(word) --client \(client). Stop it: waybill audience cancel \(word) --client \(client). To "
            + "send it in any case, give the same message again: it makes no second one"
    }
}
