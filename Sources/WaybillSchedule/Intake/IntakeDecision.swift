import WaybillMongo
import WaybillNotifications

/// What is done about a document that nobody has looked at.
enum IntakeDecision {
    /// It can be sent, and whoever claims it hands it over.
    case claim(PostedNotification)
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
        if PostedStore.saysSent(document) { return .markSent }
        if PostedStore.isCancelled(document) { return .cancel }
        let found: Result<ServiceVoice?, PostedRefusal>
        do throws(MongoError) {
            found = try voice()
        } catch {
            guard error.code == .accessRefused else { throw error }
            return .leave(reason: error.description)
        }
        do throws(PostedRefusal) {
            return .claim(try rules.posted(document, voice: try found.get(), now: now))
        } catch {
            return .refuse(error)
        }
    }
}
