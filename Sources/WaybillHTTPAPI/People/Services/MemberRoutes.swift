import HTTPTypes
import Hummingbird
import WaybillAccounts
import WaybillMongo
import WaybillNotifications
import WaybillThreads

/// Who belongs to a service, and what somebody is told of it.
struct MemberRoutes: Sendable {
    let door: FrontDoor

    private static let path = "/v1/services/{service}/members"
    private static let own = "/v1/services/{service}/membership"

    var endpoints: [PersonEndpoint] {
        [
            PersonEndpoint(method: .get, path: Self.path, answer: .person(list)),
            PersonEndpoint(method: .put, path: "\(Self.path)/{account}", members: ["role"], answer: .person(change)),
            PersonEndpoint(method: .delete, path: "\(Self.path)/{account}", answer: .person(remove)),
            PersonEndpoint(method: .get, path: Self.own, answer: .person(showOwn)),
            PersonEndpoint(
                method: .put,
                path: Self.own,
                members: ["levels", "muted_until"],
                lists: ["levels"],
                answer: .person(changeOwn)
            ),
            PersonEndpoint(method: .delete, path: Self.own, answer: .person(leave)),
        ]
    }

    private func list(_ request: PersonRequest, _ person: Person) async throws -> Response {
        let (account, service) = (person.account.id, try ServiceForm.service(request))
        return ServiceAnswer.members(
            try await ask(request, account) { members, _ throws(MemberProblem) in try members.list(service, by: account)
            }
        )
    }

    private func change(_ request: PersonRequest, _ person: Person) async throws -> Response {
        let (account, service) = (person.account.id, try ServiceForm.service(request))
        let (other, role) = (try request.named("account"), try request.body.text("role", ServiceForm.role))
        try door.accountAllowances.take(.change, account)
        let origin = request.origin
        return ServiceAnswer.member(
            try await ask(request, account) { members, now throws(MemberProblem) in
                try members.change(role, of: other, in: service, by: account, origin: origin, now: now)
            } after: { trail, membership throws(MongoError) in
                trail.tell(.changed(membership.role), of: membership.account, in: membership.service)
            }
        )
    }

    /// 204; also oneself.
    private func remove(_ request: PersonRequest, _ person: Person) async throws -> Response {
        let (account, service) = (person.account.id, try ServiceForm.service(request))
        let other = try request.named("account")
        try door.accountAllowances.take(.change, account)
        let origin = request.origin
        try await ask(request, account) { members, now throws(MemberProblem) in
            try members.remove(other, from: service, by: account, origin: origin, now: now)
        } after: { trail, _ throws(MongoError) in
            trail.tell(.removed, of: other, in: service)
        }
        return Response(status: .noContent)
    }

    private func showOwn(_ request: PersonRequest, _ person: Person) async throws -> Response {
        let (account, service) = (person.account.id, try ServiceForm.service(request))
        return ServiceAnswer.membership(
            try await ask(request, account) { members, _ throws(MemberProblem) in try members.own(service, account) }
        )
    }

    /// What is not said is as it is at the beginning: nothing is muted.
    private func changeOwn(_ request: PersonRequest, _ person: Person) async throws -> Response {
        let (account, service) = (person.account.id, try ServiceForm.service(request))
        let now = WallClock.milliseconds()
        let own = try request.body.form { body, checks -> OwnMembership? in
            let levels = checks.read("levels") { () throws(Problem) in
                guard let levels = body.list("levels") else { throw .field("levels", "the body has no levels") }
                return try ServiceForm.levels(levels)
            }
            let end = checks.read("muted_until") { () throws(Problem) in
                try ServiceForm.moment("muted_until", of: body, now: now)
            }
            guard let levels, let end else { return nil }
            return OwnMembership(levels: levels, mutedUntil: end)
        }
        try door.accountAllowances.take(.change, account)
        return ServiceAnswer.membership(
            try await ask(request, account) { members, _ throws(MemberProblem) in
                try members.change(own, of: account, in: service)
            } after: { trail, _ throws(MongoError) in
                try trail.events.changedOwn(account, in: service, at: trail.now)
            }
        )
    }

    private func leave(_ request: PersonRequest, _ person: Person) async throws -> Response {
        let (account, service) = (person.account.id, try ServiceForm.service(request))
        try door.accountAllowances.take(.change, account)
        let origin = request.origin
        try await ask(request, account) { members, now throws(MemberProblem) in
            try members.leave(service, account, origin: origin, now: now)
        } after: { trail, _ throws(MongoError) in
            trail.tell(.removed, of: account, in: service)
        }
        return Response(status: .noContent)
    }

    @discardableResult
    private func ask<Answer: Sendable>(
        _ request: PersonRequest,
        _ account: String,
        _ question: @escaping @Sendable (ServiceMembers, _ now: Int64) throws(MemberProblem) -> Answer,
        after: @escaping @Sendable (ServiceTrail, Answer) throws(MongoError) -> Void = { _, _ in }
    ) async throws(Problem) -> Answer {
        let door = door
        return try await door.ask(request, for: account) { client, now throws(MemberProblem) in
            try question(ServiceMembers(client: client, database: door.database), now)
        } after: { trail, answer throws(MongoError) in
            try after(trail, answer)
        }
    }
}
