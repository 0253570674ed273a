// What happens to the connections of any client.

extension JSONLine {
    /// What happened to a connection.
    ///
    /// - Parameters:
    ///   - id: tells the client's connections apart.
    ///   - event: what happened, as one word.
    ///   - address: where it leads.
    ///   - carried: how many requests it has had.
    ///   - text: what is said of it.
    package init(connection id: UInt64, event: String, address: String, carried: Int, text: String?) {
        self.init("connection")
        self["event"] = event
        self["connection"] = Int(id)
        self["address"] = address
        self["carried"] = carried
        self["text"] = text
    }

    /// That there is nothing to send with.
    package init(credentials text: String) {
        self.init("credentials")
        self["text"] = text
    }
}
