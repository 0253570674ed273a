import ArgumentParser
import WaybillAccounts
import WaybillEncoding

/// What is asked of a server, by the key that asks: `wbk_…` speaks our own API, every other key that of the thesis.
struct NotifyRequest {
    let path: String
    let body: [UInt8]
    /// Has the key where it is not in the body.
    let headers: [String]

    /// - Throws: `ValidationError` for a level that the thesis' API does not have, and for a key that cannot be one.
    init(key: String, level: NotifyLevel, body text: String, more: String?, url: String?) throws {
        let isOurs = key.hasPrefix("wbk_")
        guard isOurs || level.number != nil else {
            throw ValidationError("--level critical is for keys of the form wbk_…")
        }
        // It becomes a line of the request's head.
        guard !isOurs || KeySecret(key) != nil else {
            throw ValidationError(
                "the key is not well-formed: a key is wbk_live_ or wbk_test_ and 36 characters, whose last six are a checksum; "
                    + "copy all of it"
            )
        }
        var json = JSONWriter()
        json.beginObject()
        if isOurs {
            json.member("level", level.rawValue)
        } else {
            json.member("serviceKey", key)
            json.member("level", level.number)
        }
        json.member("body", text)
        json.member("text", more)
        json.member("url", url)
        json.endObject()
        body = json.bytes
        path = isOurs ? "/v1/notifications" : "/notify"
        headers = ["Content-Type: application/json"] + (isOurs ? ["Authorization: Bearer \(key)"] : [])
    }
}
