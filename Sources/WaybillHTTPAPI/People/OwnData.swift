import WaybillAccounts
import WaybillDeliveryLog
import WaybillDeviceRegistry
import WaybillEncoding
import WaybillOutbox

/// What is kept of a person, but for secrets, of which digests alone are kept, and for what is anybody else's.
struct OwnData: Sendable {
    let account: Account
    /// When their phones are silent; `nil`: never.
    let quietHours: PersonalQuietHours?
    let logins: [Login]
    let services: [(service: ServiceDetails, membership: Membership)]
    let devices: [DeviceLink]
    /// What is registered of those on which they are logged in, without what is another phone's.
    let registered: [DeviceLink: Device]
    /// Those of services that they have made.
    let webhooks: [WebhookEndpoint]
    /// Those that they have made and that nobody has answered.
    let invitationsGiven: [Invitation]
    /// Those that went to their address.
    let invitationsGot: [(invitation: Invitation, service: ServiceDetails)]

    /// - Parameter current: the session that asks.
    /// - Returns: one object as far as the bracket of its notifications.
    func opening(current: String) -> [UInt8] {
        var json = JSONWriter(capacity: 1024)
        json.beginObject()
        json.beginObject("account")
        PersonAnswer.members(of: account, &json)
        json.endObject()
        if let quietHours {
            json.beginObject("quiet_hours")
            json.member("from", PersonalQuietHours.text(quietHours.from))
            json.member("to", PersonalQuietHours.text(quietHours.to))
            json.member("zone", quietHours.zone)
            json.endObject()
        }
        json.beginArray("sessions")
        for login in logins { PersonAnswer.element(login, current: current, &json) }
        json.endArray()
        json.beginArray("services")
        for (service, membership) in services {
            json.beginObject()
            json.member("id", service.id)
            json.member("name", service.name)
            json.member("role", membership.role.rawValue)
            ServiceAnswer.append(service.image, of: service.id, to: &json)
            json.beginArray("levels")
            for level in NotificationLevel.allCases where membership.levels.includes(level) { json.element(level.name) }
            json.endArray()
            json.member("muted_until", membership.mutedUntil.map(TimeText.text(milliseconds:)))
            json.endObject()
        }
        json.endArray()
        json.beginArray("devices")
        for device in devices { Self.element(device, registered[device], &json) }
        json.endArray()
        json.beginArray("webhooks")
        for webhook in webhooks { Self.element(webhook, &json) }
        json.endArray()
        json.beginArray("invitations")
        for invitation in invitationsGiven { Self.element(invitation, nil, &json) }
        for (invitation, service) in invitationsGot { Self.element(invitation, service, &json) }
        json.endArray()
        json.beginArray("notifications")
        return json.bytes
    }

    private static func element(_ link: DeviceLink, _ device: Device?, _ json: inout JSONWriter) {
        json.beginObject()
        json.member("app", link.app)
        json.member("device", link.device)
        json.name("enabled")
        json.element(link.isEnabled)
        json.member("since", TimeText.text(milliseconds: link.since))
        json.member("provider", device?.provider)
        json.member("token_kind", device?.kind)
        json.member("token", device?.token.map(DeliveryJSON.lastFour))
        json.member("app_version", device?.appVersion)
        json.member("locale", device?.locale)
        json.member("time_zone", device?.timeZone)
        json.member("tags", device?.tags)
        json.member("registered_at", device?.registeredAt.map(TimeText.text(milliseconds:)))
        json.endObject()
    }

    /// What they have said of it: how it does is its service's.
    private static func element(_ webhook: WebhookEndpoint, _ json: inout JSONWriter) {
        json.beginObject()
        json.member("id", webhook.id)
        if case .service(let service) = webhook.owner { json.member("service", service) }
        json.member("url", webhook.url)
        json.member("events", webhook.events)
        json.member("created_at", TimeText.text(milliseconds: webhook.createdAt))
        json.endObject()
    }

    /// Without a service it is one that they have made, and whose address it has is somebody else's.
    private static func element(_ invitation: Invitation, _ service: ServiceDetails?, _ json: inout JSONWriter) {
        json.beginObject()
        json.member("id", invitation.id)
        json.member("direction", service == nil ? "given" : "got")
        json.member("service", invitation.service)
        json.member("name", service?.name)
        json.member("role", invitation.role.rawValue)
        json.member("created_at", TimeText.text(milliseconds: invitation.createdAt))
        json.member("expires_at", TimeText.text(milliseconds: invitation.endsAt))
        json.endObject()
    }
}
