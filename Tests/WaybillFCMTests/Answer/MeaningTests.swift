import Testing
import WaybillFCM
import WaybillSimulator

/// The table of answers, held against the simulator's own reading of the same pages.
@Suite struct MeaningTests {
    static let expected: [FCMRefusal: FCMAction] = [
        .invalidToken: .checkToken, .invalidArgument: .dropMessage, .unregistered: .removeToken,
        .notFound: .fixConfiguration, .senderIDMismatch: .checkToken, .permissionDenied: .fixConfiguration,
        .serviceDisabled: .fixConfiguration, .scopeInsufficient: .fixConfiguration, .tokenExpired: .fixConfiguration,
        .credentialsMissing: .fixConfiguration, .unauthenticated: .fixConfiguration,
        .thirdPartyAuthError: .dropMessage, .quotaExceeded: .retryLater(.project),
        .deviceQuotaExceeded: .retryLater(.message), .topicQuotaExceeded: .retryLater(.topic),
        .projectQuotaExceeded: .retryLater(.project), .internalError: .retryLater(.message),
        .unavailable: .retryLater(.project), .unspecified: .dropMessage, .badGateway: .retryLater(.project),
        .gatewayTimeout: .retryLater(.project), .wrongPath: .fixConfiguration,
    ]

    static func meaning(_ answer: SimulatorAnswer) -> FCMMeaning {
        FCMMeaning(status: answer.status, body: FCMAnswerBody(answer.bodyBytes(now: 0)))
    }

    @Test(arguments: FCMRefusal.allCases) func readsEveryRefusal(_ refusal: FCMRefusal) throws {
        for form in [FCMErrorForm.usual, .reversed] {
            let meaning = Self.meaning(refusal.answer(form))
            #expect(meaning.action == Self.expected[refusal])
            let isBearer = [.tokenExpired, .credentialsMissing, .unauthenticated].contains(refusal)
            #expect(meaning.refusesBearer == isBearer)
            #expect(meaning.mayHaveBeenTaken == [500, 502, 504].contains(refusal.status))
        }
    }

    @Test(arguments: FCMRefusal.allCases) func withoutDetailsNoTokenIsSuspected(_ refusal: FCMRefusal) {
        let action = Self.meaning(refusal.answer(.bare)).action
        #expect(action != .removeToken)
        #expect(action != .checkToken)
    }

    @Test(arguments: [
        "", "[]", "no json", "{", #"{"error":1}"#, #"{"error":{"details":{}}}"#, #"{"error":{"details":["x",1,null]}}"#,
        #"{"error":{"details":[{"@type":1}]}}"#, #"{"error":{"details":[{"@type":"x","errorCode":"UNREGISTERED"}]}}"#,
        "{\"error\":{\"details\":[[[[", #"{"error":{"message":"UNREGISTERED","status":"NOT_FOUND"}}"#,
    ])
    func survivesEveryBody(_ text: String) {
        let body = FCMAnswerBody(Array(text.utf8))
        #expect(body.errorCode == nil)
        #expect(FCMMeaning(status: 404, body: body).action == .fixConfiguration)
        #expect(FCMMeaning(status: 400, body: body).action == .dropMessage)
        #expect(FCMMeaning(status: 413, body: body).action == .dropMessage)
        #expect(FCMMeaning(status: 599, body: body).action == .retryLater(.project))
        #expect(FCMMeaning(status: 200, body: body).action == .none)
    }

    static func body(fcmError members: String) -> FCMAnswerBody {
        let type = #""@type":"type.googleapis.com/google.firebase.fcm.v1.FcmError""#
        return FCMAnswerBody(Array(#"{"error":{"details":[{\#(type)\#(members)}]}}"#.utf8))
    }

    /// Whatever the code: one message speaks neither of the access token nor of the configuration.
    @Test(arguments: [
        "SOMETHING_NEW", "UNSPECIFIED_ERROR", "UNREGISTERED", "SENDER_ID_MISMATCH", "INVALID_ARGUMENT",
        "THIRD_PARTY_AUTH_ERROR", "QUOTA_EXCEEDED", "UNAVAILABLE", "INTERNAL", "PERMISSION_DENIED",
    ])
    func codesThatAreUnknownOrOfAnotherStatusDropTheMessage(_ code: String) {
        let own = [404: "UNREGISTERED", 403: "SENDER_ID_MISMATCH"]
        let body = Self.body(fcmError: #","errorCode":"\#(code)""#)
        #expect(body.errorCode == code)
        for status in [400, 401, 403, 404, 405, 409, 410, 413, 418, 499] where own[status] != code {
            #expect(FCMMeaning(status: status, body: body) == FCMMeaning(action: .dropMessage), "\(status)")
        }
        let scope: FCMAction.Scope = code == "QUOTA_EXCEEDED" ? .project : .message
        #expect(FCMMeaning(status: 429, body: body).action == .retryLater(scope))
        #expect(FCMMeaning(status: 503, body: body).action == .retryLater(.project))
    }

    /// JSON leaves out an enumeration's first value, and some writers have its number.
    @Test(arguments: ["", #","errorCode":1"#, #","errorCode":null"#, #","errorCode":"""#])
    func anFcmErrorWithoutACodeIsUnspecified(_ members: String) {
        let body = Self.body(fcmError: members)
        #expect(body.errorCode == "UNSPECIFIED_ERROR")
        for status in [401, 403, 404] {
            #expect(FCMMeaning(status: status, body: body) == FCMMeaning(action: .dropMessage), "\(status)")
        }
    }

    @Test(
        arguments: [
            (429, nil, 60), (429, 7, 7), (429, 0, 60), (429, 1_000_000_000, 3600), (500, nil, 10), (500, 2, 2),
            (503, nil, 10), (503, 0, 10), (503, 3, 3), (503, 90, 90), (502, nil, 30), (502, 0, 30), (504, nil, 30),
            (504, 12, 12), (599, nil, 10),
        ] as [(Int, Int?, Int)]
    )
    func waitsAsLongAsAskedOrAsTheStatusNeeds(_ status: Int, asked: Int?, expected: Int) {
        #expect(FCMMeaning.wait(status: status, asked: asked.map { .seconds($0) }) == .seconds(expected))
    }
}
