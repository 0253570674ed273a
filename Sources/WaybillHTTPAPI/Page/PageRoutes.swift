import HTTPTypes
import Hummingbird

/// The operators' page: for anybody, from memory, without key and store.
///
/// What it shows it asks of `/v1`.
struct PageRoutes: Sendable {
    static let paths = ["/", "/page/{hash}/{name}"]

    let files: PageFiles

    func add(to router: Router<APIContext>) {
        router.get("/") { request, _ in
            Self.answer(files.shell, request, caching: "no-cache")
        }
        router.get("/page/{hash}/{name}") { request, context throws in
            guard context.parameters.get("hash") == files.hash,
                let file = context.parameters.get("name").flatMap({ files.files[$0] })
            else { throw Problem(.notFound, "there is nothing here") }
            return Self.answer(file, request, caching: "public, max-age=31536000, immutable")
        }
    }

    private static func answer(_ file: PageFiles.File, _ request: Request, caching: String) -> Response {
        let known = request.headers[values: .ifNoneMatch].joined(separator: ",").split(separator: ",")
        let isKnown = known.contains { $0.trimmingPrefix { $0 == " " }.trimmingPrefix("W/") == file.tag }
        var response =
            isKnown
            ? Response(status: .notModified)
            : Response(status: .ok, headers: [.contentType: file.type], body: ResponseBody(byteBuffer: file.content))
        response.headers[.eTag] = file.tag
        response.headers[.cacheControl] = caching
        for (name, value) in PageHeaders.all { response.headers[name] = value }
        return response
    }
}
