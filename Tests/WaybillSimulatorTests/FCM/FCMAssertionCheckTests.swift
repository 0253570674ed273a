import Testing
import WaybillSimulator

@Suite struct FCMAssertionCheckTests {
    static let endpoint = "https://localhost:8444/token"
    static let now: Int64 = 1_790_000_000
    static let header = #"{"alg":"RS256","typ":"JWT","kid":"0f1e2d3c4b5a69788796a5b4c3d2e1f001234567"}"#

    static func claims(
        issuer: String = "waybill-sender@waybill-demo.iam.gserviceaccount.com",
        scope: String = "https://www.googleapis.com/auth/firebase.messaging",
        audience: String = endpoint,
        issued: String = "\(now)",
        end: Int64 = now + 3600
    ) -> String {
        #"{"iss":"\#(issuer)","scope":"\#(scope)","aud":"\#(audience)","iat":\#(issued),"exp":\#(end)}"#
    }

    @Test func judges() throws {
        let account = try SimulatorServiceAccount.generate()
        let check = FCMAssertionCheck(FCMSimulation(accounts: [account.account]))
        func judge(_ form: String) throws -> FCMAssertionCheck.Grant {
            try check.judge(form: Array(form.utf8), endpoint: Self.endpoint, at: Self.now)
        }
        for claims in [
            Self.claims(), Self.claims(audience: "https://oauth2.googleapis.com/token"),
            Self.claims(issued: "\(Self.now + 300)", end: Self.now + 3900),
        ] {
            #expect(try judge(account.form(header: Self.header, claims: claims)).projects == ["waybill-demo"])
        }
        let cases: [(header: String, claims: String, error: String)] = [
            (Self.header, Self.claims(issued: "\(Self.now + 600)", end: Self.now + 4200), "invalid_grant"),
            (Self.header, Self.claims(issued: "\(Self.now - 4200)", end: Self.now - 600), "invalid_grant"),
            (Self.header, Self.claims(end: Self.now + 3601), "invalid_grant"),
            (Self.header, Self.claims(issued: "\"\(Self.now)\""), "invalid_grant"),
            (Self.header, Self.claims(issued: "9223372036854775807"), "invalid_grant"),
            (Self.header, Self.claims(issuer: "somebody@else"), "invalid_grant"),
            (Self.header, Self.claims(audience: "https://elsewhere/token"), "invalid_grant"),
            (Self.header, Self.claims(scope: ""), "invalid_scope"),
            (Self.header, Self.claims(scope: "everything"), "invalid_scope"),
            (Self.header.replacing("RS256", with: "ES256"), Self.claims(), "invalid_grant"),
            (Self.header.replacing("RS256", with: "none"), Self.claims(), "invalid_grant"),
            (Self.header.replacing("0f1e", with: "ffff"), Self.claims(), "invalid_grant"),
        ]
        for (header, claims, expected) in cases {
            let form = try account.form(header: header, claims: claims)
            do {
                _ = try judge(form)
                Issue.record("taken: \(header) \(claims)")
            } catch {
                #expect((error as? FCMAssertionCheck.Refusal)?.error == expected, "\(header) \(claims)")
            }
        }
        let stranger = try SimulatorServiceAccount.generate()
        let forged = try stranger.form(header: Self.header, claims: Self.claims())
        #expect(throws: FCMAssertionCheck.Refusal.self) { try judge(forged) }
        #expect(throws: FCMAssertionCheck.Refusal.self) { try judge("grant_type=password") }
    }
}
