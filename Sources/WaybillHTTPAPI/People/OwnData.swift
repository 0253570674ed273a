import WaybillAccounts
import WaybillDeviceRegistry
import WaybillEncoding
import WaybillNotifications

/// What is kept of a person, but for secrets, of which digests alone are kept.
struct OwnData: Sendable {
    let account: Account
    /// When their phones are silent; `nil`: never.
    let quietHours: PersonalQuietHours?
    let logins: [Login]
    let services: [(service: ServiceDetails, membership: Membership)]
    let devices: [DeviceLink]
    /// What they were told, the latest first, and what they have done with it.
    let notifications: [(notification: NotificationRecord, receipt: Receipt)]

    /// - Parameter current: the session that asks.
    /// - Returns: one object.
    func json(current: String) -> [UInt8] {
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
        for device in devices {
            json.beginObject()
            json.member("app", device.app)
            json.member("device", device.device)
            json.name("enabled")
            json.element(device.isEnabled)
            json.member("since", TimeText.text(milliseconds: device.since))
            json.endObject()
        }
        json.endArray()
        json.beginArray("notifications")
        for (notification, receipt) in notifications {
            json.beginObject()
            NoticeJSON.members(notification, receipt, to: &json)
            json.endObject()
        }
        json.endArray()
        json.endObject()
        return json.bytes
    }
}
