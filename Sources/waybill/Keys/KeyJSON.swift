import WaybillAccounts
import WaybillEncoding
import WaybillThreads

/// A key for programs: all that is known of it but itself.
enum KeyJSON {
    static func object(_ key: AccessKey, now: Int64 = WallClock.milliseconds()) -> JSONObject {
        var object = JSONObject()
        object.add("id", key.id)
        object.add("name", key.name)
        object.add("role", key.role.rawValue)
        switch key.clients {
        case .all: object.add("all_clients", true)
        case .only(let names): object.add("clients", names.sortedTexts)
        }
        object.add("mode", key.mode.rawValue)
        object.add("last_four", key.lastFour)
        object.add("state", key.state(now: now).rawValue)
        object.add("created_by", key.createdBy)
        object.add("created_at", time(key.createdAt))
        object.add("expires_at", time(key.expiresAt))
        object.add("last_used_at", time(key.lastUsedAt))
        object.add("replaced_by", key.replacedBy)
        object.add("revoked_at", time(key.revokedAt))
        return object
    }

    private static func time(_ milliseconds: Int64?) -> String? { milliseconds.map(TimeText.text(milliseconds:)) }
}
