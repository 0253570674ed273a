import HTTPTypes
import Hummingbird

/// The pages of operators and of people: for anybody, from memory, without key and store.
///
/// What they show they ask of `/v1`.
struct PageRoutes: Sendable {
    /// Of the operators' page, and the files of both.
    static let paths = ["/", "/page/{hash}/{name}"]
    static let peoplePath = "/app"

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

    /// Adds the page of people who have accounts here.
    func addPeople(to router: Router<APIContext>) {
        router.get(RouterPath(Self.peoplePath)) { request, _ in
            Self.answer(files.peopleShell, request, caching: "no-cache")
        }
    }

    private static func answer(_ file: PageFiles.File, _ request: Request, caching: String) -> Response {
        let packed = takesGzip(request) ? file.packed : nil
        let tag = packed == nil ? file.tag : file.packedTag
        var response =
            request.knows(tag: tag)
            ? Response(status: .notModified)
            : Response(
                status: .ok,
                headers: [.contentType: file.type],
                body: ResponseBody(byteBuffer: packed ?? file.content)
            )
        if packed != nil, response.status == .ok { response.headers[.contentEncoding] = "gzip" }
        response.headers[.vary] = "Accept-Encoding"
        response.headers[.eTag] = tag
        response.headers[.cacheControl] = caching
        for (name, value) in PageHeaders.all { response.headers[name] = value }
        return response
    }

    /// Whether the client names gzip, and does not refuse it by a quality of zero.
    private static func takesGzip(_ request: Request) -> Bool {
        request.words(of: .acceptEncoding).map { WeightedWord($0) }.contains { $0.name == "gzip" && $0.weight > 0 }
    }
}
