import HTTPTypes
import WaybillCore
import WaybillOperations

extension InvestigationSubject {
    /// The names that a query may have.
    static let parameters: Set<String> = ["apns_id", "batch"]

    /// - Throws: ``Problem`` 400 for none, or both.
    init(_ query: QueryText) throws(Problem) {
        switch (try query.value("apns_id"), try query.value("batch")) {
        case (let text?, nil):
            guard let id = NotificationID(text) else {
                throw Problem(.badRequest, "an apns-id is a UUID, 8-4-4-4-12 hexadecimal digits")
            }
            self = .notification(id)
        case (nil, let name?): self = .batch(name)
        default: throw Problem(.badRequest, "say apns_id or batch; a token is asked by in a POST")
        }
    }
}
