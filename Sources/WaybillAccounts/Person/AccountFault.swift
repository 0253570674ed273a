package import WaybillMongo
package import WaybillPassword

/// Why the server could not do what somebody asked for their account: nothing that they could do otherwise.
package enum AccountFault: Error, Hashable, Sendable, CustomStringConvertible {
    case store(MongoError)
    case hashing(PasswordHashingError)

    package var description: String {
        switch self {
        case .store(let error): "\(error)"
        case .hashing(let error): "\(error)"
        }
    }
}
