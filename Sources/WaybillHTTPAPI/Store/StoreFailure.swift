import HTTPTypes
import WaybillMongo

/// Why the store was not asked, or did not answer.
enum StoreFailure: Error {
    case full
    case greedy
    case late
    case store(MongoError)

    var problem: Problem {
        switch self {
        case .full: .unavailable("too many requests wait for the store")
        case .greedy:
            Problem(.tooManyRequests, "too many requests wait already; ask them one after the other").with(
                .retryAfter,
                "2"
            )
        case .late: .away("the store did not answer in time")
        case .store(let error): Problem(asking: error)
        }
    }
}

extension Problem {
    /// What the store has said instead of an answer.
    init(asking error: MongoError) {
        switch error.code {
        case .timeLimitExceeded:
            self = .unavailable("this took the store too long; ask for less, such as a shorter time")
        case .accessRefused:
            self.init(.internalServerError, "the store does not let this server do it; its user lacks a right")
            cause = error.description
        default:
            guard error.isAboutTheQuery else {
                self = .away("the store does not answer")
                return
            }
            self.init(.internalServerError, "the store refuses this request; the same request is refused again")
            cause = error.description
        }
    }
}
