extension StoryAdvice {
    /// From this many hexadecimal digits on a batch's name may be a part of a token.
    private static let leastDigits = 16
    /// An apns-id with a few digits too few or too many.
    private static let digitsLikeAnID = 28...36

    /// What it can mean that nothing is recorded, and which command tells.
    static func nothingFound(of subject: InvestigationSubject, _ reader: StoryReader = .operators) -> [String] {
        var next = reader.whereItMayBe
        switch subject {
        case .token: next.insert("Is it the whole token, as the app told it? Nothing is found by its beginning.", at: 0)
        case .notification: next.insert("Is it the apns-id, digit by digit, as it was answered or logged?", at: 0)
        case .batch(let name):
            next.insert("Is it the batch_id, exactly as it was published? Capitals count.", at: 0)
            let digits = name.filter { $0 != "-" }
            if digitsLikeAnID.contains(digits.count), digits.allSatisfy({ $0.isASCII && $0.isHexDigit }) {
                next[0] = "Is it an apns-id? One has 32 hexadecimal digits, and this has \(digits.count)."
            }
            if let digits = InvestigationSubject.token(name)?.count, digits >= leastDigits {
                next[0] =
                    "Is it a token? A token is looked for as a whole, and this one has \(digits) digits; a token of APNs has 64 or more."
            }
        }
        return next
    }
}
