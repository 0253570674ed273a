/// Which request has changed something.
package struct RequestOrigin: Hashable, Sendable {
    /// The request's id.
    package let request: String
    /// Method and route.
    package let how: String

    package init(request: String, how: String) {
        self.request = request
        self.how = how
    }
}
