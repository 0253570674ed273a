import WaybillMongo
import WaybillNotifications

/// What is done about a document that nobody has looked at, or whose time to be decided about has come.
enum IntakeDecision {
    /// It can be sent, and whoever claims it hands it over.
    case claim(PostedNotification)
    /// A service says it at that time, in milliseconds since 1970: who is told, and whether it may speak, is decided then.
    case wait(until: Int64)
    /// It cannot be sent, and says why.
    case refuse(PostedRefusal)
    /// It was cancelled before anybody looked at it, and ends.
    case cancel
    /// It says of itself that it was sent, and is left out from now on.
    case markSent
    /// Nothing can be written of it, or services may not be read here: it stays as it is.
    case leave(reason: String)

    /// Decides about a document; pure but for the question about its service, which is asked where the answer matters alone.
    ///
    /// - Parameters:
    ///   - document: as it was inserted.
    ///   - rules: what it is held to.
    ///   - now: milliseconds since 1970.
    ///   - voice: of the service that it names, or why there is none.
    /// - Returns: what is to be done.
    /// - Throws: what the store says, but that it refuses access to services.
    static func make(
        _ document: BSONDocument,
        _ rules: PostedRules,
        now: Int64,
        voice: () throws(MongoError) -> Result<ServiceVoice?, PostedRefusal>
    ) throws(MongoError) -> IntakeDecision {
        // No filter leads to it.
        if document.brokenText == "_id" { return .leave(reason: "_id is not UTF-8") }
        if PostedStore.saysSent(document) {
            guard let refusal = PostedCopy.refusalOfSent(document) else { return .markSent }
            return .refuse(refusal)
        }
        if PostedStore.isCancelled(document) { return .cancel }
        let found: Result<ServiceVoice?, PostedRefusal>
        do throws(MongoError) {
            found = try voice()
        } catch {
            guard error.code == .accessRefused else { throw error }
            return .leave(reason: error.description)
        }
        let later = laterTime(document, now: now)
        do throws(PostedRefusal) {
            let posted = try rules.posted(document, voice: try found.get(), now: now)
            return later.map { .wait(until: $0) } ?? .claim(posted)
        } catch {
            if error.mayPass, let later { return .wait(until: later) }
            return .refuse(error)
        }
    }

    /// When what a service says is due; `nil` for what anybody else says, and for what is due now.
    private static func laterTime(_ document: BSONDocument, now: Int64) -> Int64? {
        guard let service = document["service"], service != .null, document.identifier("_id")?.text != nil,
            let at = document["at"]?.date, at > now
        else { return nil }
        return at
    }
}
