import HTTPTypes
import Hummingbird
import WaybillAccounts
import WaybillMongo

/// When a person's phones are to be silent, by the clocks where they are.
struct QuietHoursRoutes: Sendable {
    let door: FrontDoor

    private static let path = "/v1/account/quiet-hours"

    var endpoints: [PersonEndpoint] {
        [
            PersonEndpoint(method: .get, path: Self.path, answer: .person(show)),
            PersonEndpoint(method: .put, path: Self.path, members: ServiceForm.quietHours, answer: .person(change)),
            PersonEndpoint(method: .delete, path: Self.path, answer: .person(remove)),
        ]
    }

    /// 200, without members where there are none.
    private func show(_ request: PersonRequest, _ person: Person) async throws -> Response {
        let account = person.account.id
        let hours = try await ask(request) { reader throws(MongoError) in try reader.quietHours(of: account) }
        return ServiceAnswer.quietHours(hours)
    }

    private func change(_ request: PersonRequest, _ person: Person) async throws -> Response {
        let hours = try ServiceForm.quietHours(request.body)
        let account = person.account.id
        try door.accountAllowances.take(.change, account)
        try await ask(request) { reader throws(MongoError) in try reader.setQuietHours(hours, of: account) }
        return ServiceAnswer.quietHours(hours)
    }

    private func remove(_ request: PersonRequest, _ person: Person) async throws -> Response {
        let account = person.account.id
        try door.accountAllowances.take(.change, account)
        try await ask(request) { reader throws(MongoError) in try reader.setQuietHours(nil, of: account) }
        return Response(status: .noContent)
    }

    @discardableResult
    private func ask<Answer: Sendable>(
        _ request: PersonRequest,
        _ question: @escaping @Sendable (AccountReader) throws(MongoError) -> Answer
    ) async throws(Problem) -> Answer {
        let door = door
        let found = try await door.ask(door.people, request.context) { client throws(MongoError) in
            try question(AccountReader(client: client, database: door.database))
        }
        switch found {
        case .success(let answer): return answer
        case .failure(let error): throw Problem(asking: error)
        }
    }
}
