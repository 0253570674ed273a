/// Why a link of a mail does nothing, whatever it is for.
protocol MailTokenProblem: Error {
    /// It is no token of a mail of this installation.
    static var unreadable: Self { get }
    /// Its time is over.
    static var expired: Self { get }
}

extension AccountRules {
    /// What a link of a mail says.
    ///
    /// - Parameters:
    ///   - kind: what the mail is for.
    ///   - text: what the link holds.
    ///   - now: milliseconds since 1970.
    ///   - problem: of what it is for.
    /// - Returns: what it says.
    /// - Throws: why it says nothing.
    func claims<Problem: MailTokenProblem>(
        _ kind: TokenKind,
        _ text: String,
        now: Int64,
        orThrow problem: Problem.Type
    ) throws(Problem) -> TokenClaims {
        do throws(TokenProblem) {
            return try verifier.claims(kind, text, now: now / 1000)
        } catch {
            throw error == .expired ? problem.expired : problem.unreadable
        }
    }
}
