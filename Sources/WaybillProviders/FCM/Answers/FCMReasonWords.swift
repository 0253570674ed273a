import WaybillFCM

/// The words with which FCM refuses, as far as they are known: a closed set, for series that must be bounded.
///
/// FcmError's codes, the reasons of ErrorInfo that concern sending, and the statuses that stand alone (Google, `ErrorCode`,
/// `google.rpc.Code`).
enum FCMReasonWords {
    static let all = codes.map(\.rawValue) + errorInfo + statuses

    private static let codes: [FCMErrorCode] = [
        .invalidArgument, .unregistered, .senderIDMismatch, .quotaExceeded, .unavailable, .internalError,
        .thirdPartyAuthError, .unspecified,
    ]
    private static let errorInfo = [
        "ACCESS_TOKEN_EXPIRED", "CREDENTIALS_MISSING", "IAM_PERMISSION_DENIED", "SERVICE_DISABLED",
        "ACCESS_TOKEN_SCOPE_INSUFFICIENT",
    ]
    private static let statuses = ["UNAUTHENTICATED", "PERMISSION_DENIED", "NOT_FOUND", "RESOURCE_EXHAUSTED"]
}
