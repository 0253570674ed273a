import HTTPTypes

/// The header fields by which a client can keep within its limit (draft-ietf-httpapi-ratelimit-headers-10).
enum RateLimitFields {
    static func of(_ allowance: TokenBuckets.Allowance) -> [(HTTPField.Name, String)] {
        let window = Int((Double(APILimits.burst) / APILimits.perSecond).rounded(.up))
        return [
            (HTTPField.Name("RateLimit-Policy")!, "\"key\";q=\(APILimits.burst);w=\(window)"),
            (HTTPField.Name("RateLimit")!, "\"key\";r=\(allowance.remaining);t=\(allowance.reset)"),
        ]
    }
}

extension Problem {
    /// To a caller who has used up what there is for now.
    static func tooOften(_ allowance: TokenBuckets.Allowance) -> Self {
        var problem = Problem(.tooManyRequests, "at most \(APILimits.burst) requests at once, and 10 a second")
        problem.note(allowance)
        return problem
    }

    /// Says how often the caller may ask; to one who is to wait, for no shorter a time than that says.
    mutating func note(_ allowance: TokenBuckets.Allowance) {
        for (name, value) in RateLimitFields.of(allowance) { headers[name] = value }
        guard status == .tooManyRequests else { return }
        let wait = headers[.retryAfter].flatMap { Int($0) } ?? 1
        headers[.retryAfter] = "\(max(wait, allowance.reset))"
    }
}
