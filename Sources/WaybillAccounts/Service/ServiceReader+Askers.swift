import WaybillMongo

/// Somebody who wants to do something with a service.
struct ServiceAsker: Hashable, Sendable {
    /// The account's id.
    let account: String
    /// The service's id.
    let service: String
}

extension ServiceReader {
    /// Who of several may do something with the services that they ask about, in two questions.
    ///
    /// - Parameters:
    ///   - action: what is wanted.
    ///   - askers: at most ``most``.
    /// - Returns: the services of those who may, as ``authorise(_:_:_:)`` says of each.
    /// - Throws: what the store says.
    func granted(
        _ action: ServiceAction,
        to askers: Set<ServiceAsker>
    ) throws(MongoError) -> [ServiceAsker: ServiceDetails] {
        guard !askers.isEmpty else { return [:] }
        let filter = BSONDocument { writer in
            writer.append(
                "$or",
                array: { either in
                    for asker in askers {
                        either.append { one in
                            one.append(ServiceLayout.MembershipField.service, string: asker.service)
                            one.append(ServiceLayout.MembershipField.account, string: asker.account)
                        }
                    }
                }
            )
        }
        let found = try memberships.find(filter, options: options(askers.count)).all().compactMap(Membership.init)
        let granted = found.filter { ServicePermission.of(action, role: $0.role) == .granted }
        let details = try services(Set(granted.map(\.service)))
        var answers: [ServiceAsker: ServiceDetails] = [:]
        for member in granted {
            answers[ServiceAsker(account: member.account, service: member.service)] = details[member.service]
        }
        return answers
    }
}
