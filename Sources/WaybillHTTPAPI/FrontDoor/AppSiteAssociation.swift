import HTTPTypes
import Hummingbird
import NIOCore
import WaybillEncoding

/// What tells iOS which apps open this server's links, in the form of today (`components`) and in that before iOS 13 (`paths`).
///
/// iOS does not ask here but at Apple, whose servers do: over TLS, without a redirect, from time to time.
enum AppSiteAssociation {
    static let path = "/.well-known/apple-app-site-association"

    /// The file.
    ///
    /// - Parameter apps: team id, dot, bundle id.
    /// - Returns: the file's content.
    static func json(apps: [String]) -> [UInt8] {
        let links = "\(LinkPage.Kind.confirm.prefix)*"
        var json = JSONWriter()
        json.beginObject()
        json.beginObject("applinks")
        json.member("apps", [String]())
        json.beginArray("details")
        for app in apps {
            json.beginObject()
            json.member("appID", app)
            json.member("appIDs", [app])
            json.member("paths", [links])
            json.beginArray("components")
            json.beginObject()
            json.member("/", links)
            json.member("comment", "confirmation of e-mail addresses")
            json.endObject()
            json.endArray()
            json.endObject()
        }
        json.endArray()
        json.endObject()
        json.beginObject("webcredentials")
        json.member("apps", apps)
        json.endObject()
        json.endObject()
        return json.bytes
    }

    static func add(to router: Router<APIContext>, apps: [String]) {
        let bytes = ByteBuffer(bytes: json(apps: apps))
        router.get(RouterPath(path)) { _, _ in
            Response(
                status: .ok,
                headers: [.contentType: "application/json", .cacheControl: "public, max-age=3600"],
                body: ResponseBody(byteBuffer: bytes)
            )
        }
    }
}
