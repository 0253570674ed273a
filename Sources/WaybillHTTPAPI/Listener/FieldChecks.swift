import HTTPTypes

/// What is wrong with a member of a request's body (`errors` of RFC 9457, 3).
struct FieldError: Hashable, Sendable {
    /// The member as a JSON pointer in the form of a fragment (RFC 6901, 6), such as `#/select/app`.
    let pointer: String
    let detail: String

    /// - Parameters:
    ///   - name: the member's, which may be repeated; one within another with dots between.
    ///   - detail: what it must be; never with the value.
    init(name: String, detail: String) {
        pointer = "#/" + name.replacing(".", with: "/")
        self.detail = detail
    }

    /// Of a body in which nothing may be named.
    init(ofWhole detail: String) {
        pointer = "#"
        self.detail = detail
    }
}

/// Looks at several members of a body, and refuses all that are wrong at once, so that whoever filled in a form corrects it once.
struct FieldChecks {
    private var problems: [Problem] = []

    /// Reads a member.
    ///
    /// - Parameters:
    ///   - name: the member's.
    ///   - read: reads it; a refusal other than 400 counts alone.
    /// - Returns: `nil` where it is refused.
    mutating func read<Value>(_ name: String, _ read: () throws(Problem) -> Value) -> Value? {
        do throws(Problem) {
            return try read()
        } catch {
            var problem = error
            if problem.errors.isEmpty { problem.errors = [FieldError(name: name, detail: problem.detail)] }
            problems.append(problem)
            return nil
        }
    }

    /// Notes what is wrong.
    mutating func note(_ problem: Problem) { problems.append(problem) }

    /// Goes on where nothing is wrong.
    ///
    /// - Throws: ``problem``.
    func require() throws(Problem) {
        if !problems.isEmpty { throw problem }
    }

    /// All that is wrong: one refusal as it is, several as one.
    var problem: Problem {
        if let other = problems.first(where: { $0.status != .badRequest }) { return other }
        guard let first = problems.first, problems.count > 1 else {
            return problems.first ?? Problem(.badRequest, "the body cannot be read")
        }
        let details = problems.map(\.detail).joined(separator: "; ")
        var all = Problem(first.status, "\(problems.count) members of the body are wrong: \(details)")
        all.errors = problems.flatMap(\.errors)
        all.refusal = problems.lazy.compactMap(\.refusal).first
        return all
    }
}
