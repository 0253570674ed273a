/// What to do about a refusal of FCM, where its word alone does not say.
///
/// Source: Google, "Firebase Cloud Messaging error codes" and "Manage registration tokens".
enum FCMAdvice {
    /// A sentence's second half; `nil` for a word that says enough, or that nobody knows.
    static func text(reason: String) -> String? {
        switch reason {
        case "UNREGISTERED": "the app was removed from the device, or the token was replaced: stop sending to it"
        case "SENDER_ID_MISMATCH":
            "the token belongs to another Firebase project: compare the lane's project with the app's google-services.json"
        case "INVALID_ARGUMENT":
            "the message breaks a rule of FCM's, or the token is malformed; FCM does not always tell the two apart"
        case "QUOTA_EXCEEDED", "RESOURCE_EXHAUSTED":
            "too many messages to this device, or in this project: 240 a minute for a device, 600,000 for a project by default"
        case "THIRD_PARTY_AUTH_ERROR":
            "the token is of an Apple device or a browser, for which the Firebase project has no good key: register Android's tokens in "
                + "an FCM lane, or correct the key in the Firebase console"
        case "IAM_PERMISSION_DENIED", "PERMISSION_DENIED":
            "the service account lacks cloudmessaging.messages.create in the lane's project: give it the role Firebase Cloud "
                + "Messaging API Admin"
        case "SERVICE_DISABLED": "the Firebase Cloud Messaging API is off in the lane's project: enable it"
        case "ACCESS_TOKEN_EXPIRED", "CREDENTIALS_MISSING", "UNAUTHENTICATED":
            "the service account's key is no good any more, or the clock is wrong"
        case "ACCESS_TOKEN_SCOPE_INSUFFICIENT":
            "the access token is for something else: use a key of the service account itself"
        case "NOT_FOUND", "status 404": "there is no such project at FCM: compare the lane's project with the console"
        default: nil
        }
    }

    /// Whether a refusal is about the lane, which somebody has to correct, and not about one notification.
    static func isLaneFault(reason: String) -> Bool {
        switch reason {
        case "IAM_PERMISSION_DENIED", "PERMISSION_DENIED", "SERVICE_DISABLED", "ACCESS_TOKEN_EXPIRED",
            "CREDENTIALS_MISSING", "UNAUTHENTICATED", "ACCESS_TOKEN_SCOPE_INSUFFICIENT", "NOT_FOUND", "status 404":
            true
        default: false
        }
    }
}
