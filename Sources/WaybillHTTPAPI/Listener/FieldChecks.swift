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

/// Looks at the members of a body, and refuses all that are wrong at once, so that whoever filled in a form corrects it once.
struct FieldChecks {
    private var problems: [Problem] = []
    private var errors: Set<FieldError> = []

    /// - Parameter faults: what was found while the body was read; such a member is not read again.
    init(_ faults: [Problem] = []) {
        for fault in faults { note(fault) }
    }

    /// Reads a member.
    ///
    /// - Parameters:
    ///   - name: the member's.
    ///   - read: reads it; a refusal other than 400 counts alone.
    /// - Returns: `nil` where it is refused.
    mutating func read<Value>(_ name: String, _ read: () throws(Problem) -> Value) -> Value? {
        guard !isWrong(name) else { return nil }
        do throws(Problem) {
            return try read()
        } catch {
            var problem = error
            if problem.errors.isEmpty { problem.errors = [FieldError(name: name, detail: problem.detail)] }
            note(problem)
            return nil
        }
    }

    /// Notes what is wrong, unless it was noted before.
    mutating func note(_ problem: Problem) {
        guard problem.errors.isEmpty || !errors.isSuperset(of: problem.errors) else { return }
        errors.formUnion(problem.errors)
        problems.append(problem)
    }

    /// Whether something is wrong with a member.
    func isWrong(_ name: String) -> Bool {
        let pointer = FieldError(name: name, detail: "").pointer
        return errors.contains { $0.pointer == pointer }
    }

    /// Whether nothing is wrong so far.
    var areMet: Bool { problems.isEmpty }

    /// Goes on where nothing is wrong.
    ///
    /// - Throws: ``problem``.
    func require() throws(Problem) {
        if !areMet { throw problem }
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
