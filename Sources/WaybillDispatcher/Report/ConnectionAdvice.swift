/// What an operator does about a push service that is reached, and with which nothing can be agreed all the same.
enum ConnectionAdvice {
    private static let again = "It is tried again by itself."

    /// - Parameter failure: why a lane does not connect, or has no access token, in the words of the log.
    /// - Returns: sentences; `nil` where the network may be at fault.
    static func text(_ failure: String) -> String? {
        if failure.contains("the token endpoint refuses the key") {
            return
                "Correct service_account_file and reload the dispatcher: the key was deleted or disabled, or this machine's clock is off. "
                + again
        }
        if failure.contains("the token endpoint refuses the time of this machine's clock") {
            return "Set this machine's clock: it is too far off for an access token. " + again
        }
        if failure.contains("the server's certificate is refused") {
            return
                "Mostly a proxy between here and the push service intercepts TLS: have it let these connections through, or name its "
                + "authority in the lane's trust_file and reload the dispatcher. Look at this machine's clock where the certificate is "
                + "said to have expired. " + again
        }
        return nil
    }
}
