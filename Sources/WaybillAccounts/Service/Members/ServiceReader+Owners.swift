import WaybillMongo

extension ServiceReader {
    /// Whether somebody owns a service whose account stays.
    func hasStayingOwner(_ service: String) throws(MongoError) -> Bool {
        let owners = try members(of: service).filter { $0.role == .owner }.map(\.account)
        return try accounts.standing(of: Set(owners)).values.contains(.staying)
    }
}
