import Hummingbird
import WaybillAccounts
import WaybillSettings

extension APIServer {
    func router() -> Router<APIContext> {
        let router = Router(context: APIContext.self, options: .autoGenerateHeadEndpoints)
        if let page {
            PageRoutes(files: page).add(to: router)
            if settings.accounts != nil { PageRoutes(files: page).addPeople(to: router) }
        }
        endpoints.notifire?.add(to: router)
        endpoints.people?.add(to: router)
        if settings.accounts != nil { LinkPage.add(to: router) }
        if let accounts = settings.accounts, !accounts.apps.isEmpty {
            AppSiteAssociation.add(to: router, apps: accounts.apps)
        }
        for endpoint in endpoints.openEndpoints {
            router.on(RouterPath(endpoint.path), method: endpoint.method) { request, context in
                try await endpoint.answer(request, context)
            }
        }
        for endpoint in endpoints.endpoints {
            router.on(RouterPath(endpoint.path), method: endpoint.method) { request, context in
                let caller = try await self.caller(request, context, endpoint)
                do {
                    if let action = endpoint.action { try caller.require(action) }
                    if let words = endpoint.bodyRefusal { try await BodyText.refuse(request, words) }
                    let asked = APIRequest(
                        head: request.head,
                        caller: caller,
                        context: context,
                        query: try QueryText(request.uri.query, allowing: endpoint.parameters),
                        body: try await BodyText.read(
                            request,
                            allowing: endpoint.members,
                            flags: endpoint.flags,
                            others: endpoint.others
                        ),
                        how: "\(endpoint.method.rawValue) \(endpoint.path)"
                    )
                    var response = try await endpoint.answer(asked)
                    for (name, value) in RateLimitFields.of(caller.allowance) { response.headers[name] = value }
                    return response
                } catch var problem as Problem {
                    problem.note(caller.allowance)
                    throw problem
                }
            }
        }
        return router
    }

    private func caller(_ request: Request, _ context: APIContext, _ endpoint: Endpoint) async throws -> Caller {
        guard endpoint.keyIsInBody else {
            return try await authenticator.caller(request, context, for: endpoint.action)
        }
        let body = try await BodyText.read(request, allowing: endpoint.members)
        return try await authenticator.logIn(try body.value("key"), request, context)
    }
}
