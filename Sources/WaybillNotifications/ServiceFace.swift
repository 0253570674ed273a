import WaybillAccounts

/// What a push shows of the service that says it.
struct ServiceFace: Hashable, Sendable {
    let id: String
    /// Above what is said, where that has no title.
    let name: String
    /// The URL of its image; `nil`: it has none.
    let image: String?

    init(id: String, name: String, image: String?) {
        self.id = id
        self.name = name
        self.image = image
    }

    init(_ service: ServiceDetails, image: String?) {
        self.init(id: service.id, name: service.name, image: image)
    }
}
