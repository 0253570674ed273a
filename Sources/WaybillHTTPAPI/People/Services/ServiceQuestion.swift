import Hummingbird
import WaybillAccounts
import WaybillMongo
import WaybillThreads

/// Why nothing was done with a service, or with what belongs to it.
protocol ServiceFailure: Error {
    static func store(_ error: MongoError) -> Self

    /// As its caller is told of it.
    var problem: Problem { get }
}

extension ServiceProblem: ServiceFailure {
    var problem: Problem { Problem(self) }
}

extension ServiceKeyProblem: ServiceFailure {
    static func store(_ error: MongoError) -> Self { .service(.store(error)) }

    var problem: Problem { Problem(self) }
}

extension MemberProblem: ServiceFailure {
    static func store(_ error: MongoError) -> Self { .service(.store(error)) }

    var problem: Problem { Problem(self) }
}

extension InvitationProblem: ServiceFailure {
    static func store(_ error: MongoError) -> Self { .service(.store(error)) }

    var problem: Problem { Problem(self) }
}

extension ServiceImageProblem: ServiceFailure {
    static func store(_ error: MongoError) -> Self { .service(.store(error)) }

    var problem: Problem {
        switch self {
        case .service(let problem): Problem(problem)
        case .image(let fault): Problem(fault)
        }
    }
}

extension FrontDoor {
    /// Asks the store about a service for somebody who belongs to it.
    ///
    /// - Parameters:
    ///   - request: whose.
    ///   - account: the id of who asks.
    ///   - question: asks, and says whether they may.
    ///   - after: leaves what stays of a change, before the answer.
    /// - Returns: its answer.
    /// - Throws: ``Problem``.
    func ask<Answer: Sendable, Failure: ServiceFailure>(
        _ request: PersonRequest,
        for account: String,
        _ question: @escaping @Sendable (MongoClient, _ now: Int64) throws(Failure) -> Answer,
        after: @escaping @Sendable (ServiceTrail, Answer) throws(MongoError) -> Void
    ) async throws(Problem) -> Answer {
        let (door, now) = (self, WallClock.milliseconds())
        let (method, context) = (request.head.method, request.context)
        let found = try await ask(people, context) { client throws(Failure) in
            let answer = try question(client, now)
            do throws(MongoError) {
                try after(ServiceTrail(door, client, account, method, context, now: now), answer)
            } catch {
                throw .store(error)
            }
            return answer
        }
        switch found {
        case .success(let answer): return answer
        case .failure(let failure): throw failure.problem
        }
    }
}
