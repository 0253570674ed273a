import HTTPTypes
import Hummingbird

extension Request {
    /// The members of a list in a header field, without the blanks around them.
    func words(of name: HTTPField.Name) -> [Substring] {
        headers[values: name].joined(separator: ",").split(separator: ",").map { $0.trimmingPrefix { $0 == " " } }
    }
}
