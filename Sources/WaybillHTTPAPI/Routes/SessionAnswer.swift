import Hummingbird
import WaybillAccounts
import WaybillEncoding

/// Who asks: what a page knows of itself.
enum SessionAnswer {
    /// `{"key": …, "role": …, "clients": […], "expires_at": …}`.
    ///
    /// - Parameters:
    ///   - key: whose request it is.
    ///   - expiresAt: the end of the session or of the key, in milliseconds since 1970; `nil`: none.
    /// - Returns: 200 with it.
    static func response(_ key: AccessKey, expiresAt: Int64?) -> Response {
        var json = JSONWriter()
        json.beginObject()
        json.beginObject("key")
        json.member("id", key.id)
        json.member("name", key.name)
        json.endObject()
        json.member("role", key.role.rawValue)
        json.name("clients")
        switch key.clients {
        case .all: json.null()
        case .only(let names):
            json.beginArray()
            for name in names.sortedTexts { json.element(name) }
            json.endArray()
        }
        json.name("expires_at")
        if let expiresAt { json.element(TimeText.text(milliseconds: expiresAt)) } else { json.null() }
        json.endObject()
        return Response.json(json.bytes)
    }
}
