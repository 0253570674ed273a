/// What the decoder and the classifier need to know of a lane; its keys and connections are the client's business.
package struct Lane: Hashable, Sendable {
    /// APNs' two worlds; a token belongs to one of them.
    package enum Environment: String, CaseIterable, Sendable {
        case production
        case sandbox
    }

    package var name: String
    package var environment: Environment
    package var bundleID: String
    /// The limit on the age of notifications that neither the message nor its client sets, in seconds; `nil` for none.
    package var maxAge: Int?
    /// The collapse id of alerts that name none.
    package var collapse: CollapseRule

    package init(
        name: String,
        environment: Environment,
        bundleID: String,
        maxAge: Int? = nil,
        collapse: CollapseRule = .content
    ) {
        self.name = name
        self.environment = environment
        self.bundleID = bundleID
        self.maxAge = maxAge
        self.collapse = collapse
    }
}
