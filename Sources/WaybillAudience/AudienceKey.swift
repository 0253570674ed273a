/// The `_id` of an audience's record: names are a client's own, so that no client meets another one's.
enum AudienceKey {
    /// The client's name and the audience's, with a slash between them.
    ///
    /// The first slash ends the client's name, in which `/` and `%` are percent-encoded.
    static func text(client: String, name: String) -> String {
        "\(client.replacing("%", with: "%25").replacing("/", with: "%2F"))/\(name)"
    }
}
