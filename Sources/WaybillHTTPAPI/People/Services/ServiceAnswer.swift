import HTTPTypes
import Hummingbird
import WaybillAccounts
import WaybillEncoding

/// What people's apps are told of services.
enum ServiceAnswer {
    /// A service as somebody sees it who belongs to it; its tag changes with it.
    static func service(
        _ service: ServiceDetails,
        _ membership: Membership,
        status: HTTPResponse.Status = .ok
    ) -> Response {
        var json = JSONWriter()
        element(service, membership, &json)
        var response = Response.json(json.bytes, status: status)
        response.headers[.entityTag] = tag(service)
        return response
    }

    static func services(
        _ services: [(service: ServiceDetails, membership: Membership)],
        next: String?
    ) -> Response {
        var json = JSONWriter(capacity: 256 * (services.count + 1))
        json.beginObject()
        json.beginArray("services")
        for (service, membership) in services { element(service, membership, &json) }
        json.endArray()
        json.member("next", next)
        json.endObject()
        return Response.json(json.bytes)
    }

    static func tag(_ service: ServiceDetails) -> String { "\"\(service.updatedAt)\"" }

    private static func element(_ service: ServiceDetails, _ membership: Membership, _ json: inout JSONWriter) {
        json.beginObject()
        json.member("id", service.id)
        json.member("name", service.name)
        json.member("role", membership.role.rawValue)
        json.member("created_at", TimeText.text(milliseconds: service.createdAt))
        json.member("updated_at", TimeText.text(milliseconds: service.updatedAt))
        if service.suspendedAt != nil { json.memberTrue("suspended") }
        append(service.image, of: service.id, to: &json)
        json.beginObject("membership")
        members(of: membership, &json)
        json.endObject()
        json.endObject()
    }

    /// What is known of an image without its bytes; nothing where there is none.
    static func append(_ image: ServiceImageNote?, of service: String, to json: inout JSONWriter) {
        guard let image else { return }
        json.beginObject("image")
        json.member("path", image.path(of: service))
        json.member("type", image.format.mediaType)
        json.member("width", image.width)
        json.member("height", image.height)
        json.member("bytes", image.bytes)
        json.endObject()
    }

    /// What somebody is to a service, and what they are told of it.
    static func membership(_ membership: Membership) -> Response {
        var json = JSONWriter()
        json.beginObject()
        members(of: membership, &json)
        json.endObject()
        return Response.json(json.bytes)
    }

    private static func members(of membership: Membership, _ json: inout JSONWriter) {
        json.member("role", membership.role.rawValue)
        json.beginArray("levels")
        for level in NotificationLevel.allCases where membership.levels.includes(level) { json.element(level.name) }
        json.endArray()
        json.member("muted_until", membership.mutedUntil.map(TimeText.text(milliseconds:)))
    }

    /// When phones are to be silent; without members where they never are.
    static func quietHours(_ hours: PersonalQuietHours?) -> Response {
        var json = JSONWriter()
        json.beginObject()
        json.member("from", hours.map { PersonalQuietHours.text($0.from) })
        json.member("to", hours.map { PersonalQuietHours.text($0.to) })
        json.member("zone", hours?.zone)
        json.endObject()
        return Response.json(json.bytes)
    }

    // MARK: - Keys

    /// - Parameters:
    ///   - keys: those that were shown once.
    ///   - derived: when the one was made that owners can read again; `nil`: there is none.
    ///   - now: milliseconds since 1970.
    /// - Returns: what is known of all of them.
    static func keys(_ keys: [ServiceKeyRecord], derived: Int64?, now: Int64) -> Response {
        var json = JSONWriter(capacity: 320 * (keys.count + 1))
        json.beginObject()
        json.beginArray("keys")
        for key in keys {
            json.beginObject()
            members(of: key, now: now, &json)
            json.endObject()
        }
        if let derived {
            json.beginObject()
            json.member("id", ServiceKeyStore.derivedID)
            json.member("name", "Key of the thesis' API")
            json.member("kind", KeySecret.Mode.live.rawValue)
            json.member("shown", "64 hexadecimal digits")
            json.member("scopes", [ServiceKeyScope.notify.rawValue])
            json.member("state", AccessKey.State.live.rawValue)
            json.member("created_at", TimeText.text(milliseconds: derived))
            json.endObject()
        }
        json.endArray()
        json.endObject()
        return Response.json(json.bytes)
    }

    /// The one answer that has a key in it.
    static func newKey(_ new: NewServiceKey, now: Int64) -> Response {
        var json = JSONWriter()
        json.beginObject()
        json.member("secret", new.secret.reveal())
        json.beginObject("key")
        members(of: new.key, now: now, &json)
        json.endObject()
        json.member("former_ends_at", new.oldEnds.map(TimeText.text(milliseconds:)))
        json.endObject()
        return Response.json(json.bytes, status: .created)
    }

    private static func members(of key: ServiceKeyRecord, now: Int64, _ json: inout JSONWriter) {
        json.member("id", key.id)
        json.member("name", key.name)
        json.member("kind", key.kind.rawValue)
        json.member("shown", key.shown)
        json.member("scopes", key.scopes.map(\.rawValue).sorted())
        json.member("state", key.state(now: now).rawValue)
        json.member("created_by", key.createdBy)
        json.member("created_at", TimeText.text(milliseconds: key.createdAt))
        json.member("expires_at", key.endsAt.map(TimeText.text(milliseconds:)))
        json.member("last_used_at", key.lastUsedAt.map(TimeText.text(milliseconds:)))
        json.member("last_used_from", key.lastUsedFrom)
        json.member("replaced_by", key.replacedBy)
        json.member("revoked_at", key.revokedAt.map(TimeText.text(milliseconds:)))
    }

    // MARK: - People

    static func members(_ members: [ServiceMember]) -> Response {
        var json = JSONWriter(capacity: 160 * (members.count + 1))
        json.beginObject()
        json.beginArray("members")
        for member in members {
            json.beginObject()
            json.member("account", member.membership.account)
            json.member("username", member.name?.text)
            json.member("role", member.membership.role.rawValue)
            json.member("joined_at", TimeText.text(milliseconds: member.membership.joinedAt))
            json.endObject()
        }
        json.endArray()
        json.endObject()
        return Response.json(json.bytes)
    }

    static func member(_ membership: Membership) -> Response {
        var json = JSONWriter()
        json.beginObject()
        json.member("account", membership.account)
        json.member("role", membership.role.rawValue)
        json.endObject()
        return Response.json(json.bytes)
    }

    static func invitations(_ invitations: [Invitation]) -> Response {
        var json = JSONWriter(capacity: 240 * (invitations.count + 1))
        json.beginObject()
        json.beginArray("invitations")
        for invitation in invitations {
            json.beginObject()
            members(of: invitation, &json)
            json.endObject()
        }
        json.endArray()
        json.endObject()
        return Response.json(json.bytes)
    }

    /// An invitation, and its link where no mail has it.
    static func newInvitation(_ invitation: Invitation, link: String?) -> Response {
        var json = JSONWriter()
        json.beginObject()
        members(of: invitation, &json)
        json.member("link", link)
        json.endObject()
        return Response.json(json.bytes, status: .created)
    }

    private static func members(of invitation: Invitation, _ json: inout JSONWriter) {
        json.member("id", invitation.id)
        json.member("role", invitation.role.rawValue)
        json.member("email", invitation.email?.text)
        json.member("created_by", invitation.createdBy)
        json.member("created_at", TimeText.text(milliseconds: invitation.createdAt))
        json.member("expires_at", TimeText.text(milliseconds: invitation.endsAt))
    }

    /// What whoever is invited sees before they decide.
    static func offer(_ invitation: Invitation, _ service: ServiceDetails) -> Response {
        var json = JSONWriter()
        json.beginObject()
        json.member("service", service.id)
        json.member("name", service.name)
        json.member("role", invitation.role.rawValue)
        json.member("expires_at", TimeText.text(milliseconds: invitation.endsAt))
        json.endObject()
        return Response.json(json.bytes)
    }
}
