import WaybillMessages
import WaybillNotifications

/// A campaign that somebody asks for, while it is found out what of it the installation refuses.
struct CampaignDraft: Sendable {
    /// What stands where a member is refused: the rules take it.
    static let placeholder = "-"
    static let nobody = AudienceSelection(app: placeholder, kind: .filter(AudienceFilter()))

    var name: String
    var content: CampaignContent
    var timing: CampaignTiming
    /// Whether its devices are those that were asked for, and no place holder.
    let isSelected: Bool

    func campaign(of client: String, by author: String, now: Int64) -> Campaign {
        Campaign(name: name, client: client, content: content, timing: timing, createdAt: now, createdBy: author)
    }

    /// Notes all that the rules refuse, which name one field at a time: it is left out, and the rest examined again.
    ///
    /// - Parameters:
    ///   - rules: of the installation.
    ///   - client: whose it is.
    ///   - now: milliseconds since 1970.
    ///   - checks: note each.
    mutating func examine(by rules: PostedRules, of client: String, now: Int64, _ checks: inout FieldChecks) {
        var isLeftOut = true
        while isLeftOut {
            do throws(PostedRefusal) {
                try rules.examineDraft(campaign(of: client, by: "", now: now), now: now)
                return
            } catch {
                let name = error.field.map { member($0) }
                if let name {
                    let isKnown = checks.isWrong(name) || !isSelected && name.hasPrefix("select.")
                    if !isKnown { checks.note(.field(name, words(error, of: name))) }
                } else {
                    checks.note(.members("\(error)"))
                }
                isLeftOut = leaveOut(name)
            }
        }
    }

    /// What is refused, by the name that the request has for it.
    private func words(_ refusal: PostedRefusal, of member: String) -> String {
        let words = "\(refusal)"
        guard let field = refusal.field, !member.hasPrefix("select."), words.hasPrefix("\(field): ") else {
            return words
        }
        return member + words.dropFirst(field.count)
    }

    /// What a field of a notification is called in a request.
    private func member(_ field: String) -> String {
        switch field {
        case "_id", "throttle_key": return "name"
        case "at" where isLocal: return "local_at"
        default:
            let first = field.prefix { $0 != "." }
            return ["app", "users", "devices", "filter"].contains(first) ? "select.\(field)" : field
        }
    }

    private var isLocal: Bool {
        if case .local = timing.start { return true }
        return false
    }

    /// - Returns: false where the member was left out before, or cannot be.
    private mutating func leaveOut(_ member: String?) -> Bool {
        let before = (name, content, timing)
        switch member {
        case "name": name = Self.placeholder
        case "body": content.body = Self.placeholder
        case "title": content.title = nil
        case "subtitle": content.subtitle = nil
        case "category": content.category = nil
        case "level": content.level = nil
        case "expires_at": content.expiresAt = nil
        case "per_minute": content.perMinute = nil
        case "at", "local_at": timing.start = .now
        default: return false
        }
        return before != (name, content, timing)
    }
}
