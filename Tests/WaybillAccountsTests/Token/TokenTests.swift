import Testing
import WaybillEncoding

@testable import WaybillAccounts

@Suite struct TokenTests {
    private static let now: Int64 = 1_700_000_000

    private static func claims(expiresIn seconds: Int64? = 3600, issuedIn: Int64 = 0) -> TokenClaims {
        TokenClaims(
            subject: "acc_1",
            username: "ada/l\\ü",
            issuedAt: now + issuedIn,
            expiresAt: seconds.map { now + $0 },
            id: "1",
            login: "log_1",
            passwordMark: "mark"
        )
    }

    /// RFC 7515, appendix A.1, with its own key, header and payload.
    @Test func signsAsTheStandardDoes() throws {
        let key = try #require(
            Base64URL.decode("AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow")
        )
        let text = TokenSigner.signed(
            header: Array("{\"typ\":\"JWT\",\r\n \"alg\":\"HS256\"}".utf8),
            payload: Array("{\"iss\":\"joe\",\r\n \"exp\":1300819380,\r\n \"http://example.com/is_root\":true}".utf8),
            key: key
        )
        #expect(
            text == "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9"
                + ".eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"
                + ".dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
        )
        let parts = text.split(separator: ".")
        let code = try #require(Base64URL.decode(parts[2]))
        #expect(TokenVerifier.isSigned(parts[0], parts[1], code, key: key))
        #expect(!TokenVerifier.isSigned(parts[0], parts[1], code.dropLast() + [code[31] ^ 1], key: key))
        #expect(!TokenVerifier.isSigned(parts[0], parts[1], [], key: key))
    }

    @Test(arguments: TokenKind.allCases)
    func isReadAsItWasMade(kind: TokenKind) throws {
        let rules = try AccountRig.rules()
        let claims = Self.claims()
        let token = rules.signer.token(kind, claims)
        #expect(try rules.verifier.claims(kind, token, now: Self.now) == claims)
        for other in TokenKind.allCases where other != kind {
            #expect(throws: TokenProblem.foreign) { try rules.verifier.claims(other, token, now: Self.now) }
        }
    }

    @Test(arguments: [(0, true), (3599, true), (3659, true), (3660, false), (90_000, false)])
    func holdsForItsTime(after seconds: Int, isGood: Bool) throws {
        let rules = try AccountRig.rules()
        let token = rules.signer.token(.access, Self.claims())
        let claims = try? rules.verifier.claims(.access, token, now: Self.now + Int64(seconds))
        #expect((claims != nil) == isGood)
        if !isGood {
            #expect(throws: TokenProblem.expired) {
                try rules.verifier.claims(.access, token, now: Self.now + Int64(seconds))
            }
        }
    }

    @Test func neitherEndlessNorFromTheFuture() throws {
        let rules = try AccountRig.rules()
        let endless = rules.signer.token(.access, Self.claims(expiresIn: nil))
        #expect(throws: TokenProblem.malformed) { try rules.verifier.claims(.access, endless, now: Self.now) }
        let early = rules.signer.token(.access, Self.claims(issuedIn: 61))
        #expect(throws: TokenProblem.malformed) { try rules.verifier.claims(.access, early, now: Self.now) }
        // What a refresh token's end depends on is its log-in.
        let refresh = rules.signer.token(.refresh, Self.claims(expiresIn: nil))
        #expect(try rules.verifier.claims(.refresh, refresh, now: Self.now * 2).login == "log_1")
    }

    /// Two roots hold while one takes the other's place, and no longer.
    @Test func rootsRotate() throws {
        let (first, both, second) = (
            try AccountRig.rules(1), try AccountRig.rules(2, former: 1), try AccountRig.rules(2)
        )
        let old = first.signer.token(.access, Self.claims())
        let new = both.signer.token(.access, Self.claims())
        #expect(try both.verifier.claims(.access, old, now: Self.now).subject == "acc_1")
        #expect(try second.verifier.claims(.access, new, now: Self.now).subject == "acc_1")
        #expect(throws: TokenProblem.foreign) { try second.verifier.claims(.access, old, now: Self.now) }
        #expect(throws: TokenProblem.foreign) { try first.verifier.claims(.access, new, now: Self.now) }
    }

    @Test func otherInstallationsTokensAreNotBelieved() throws {
        let rules = try AccountRig.rules()
        let other = AccountRules(keys: rules.keys, issuer: "https://other.example.com")
        let token = other.signer.token(.access, Self.claims())
        #expect(throws: TokenProblem.foreign) { try rules.verifier.claims(.access, token, now: Self.now) }
    }

    /// Well signed by the right key, and refused for the header (RFC 8725): no `none`, no other algorithm, nothing that names a key.
    @Test(
        arguments: [
            #"{"alg":"none","typ":"at+jwt","kid":"KID"}"#, #"{"alg":"HS512","typ":"at+jwt","kid":"KID"}"#,
            #"{"alg":"hs256","typ":"at+jwt","kid":"KID"}"#, #"{"alg":"RS256","typ":"at+jwt","kid":"KID"}"#,
            #"{"typ":"at+jwt","kid":"KID"}"#, #"{"alg":"HS256","kid":"KID"}"#,
            #"{"alg":"HS256","typ":"JWT","kid":"KID"}"#,
            #"{"alg":"HS256","typ":"at+jwt"}"#, #"{"alg":"HS256","typ":"at+jwt","kid":"deadbeef"}"#,
            #"{"alg":"HS256","typ":"at+jwt","kid":""}"#,
            #"{"alg":"HS256","typ":"at+jwt","kid":"KID","jku":"https://eve.example"}"#,
            #"{"alg":"HS256","typ":"at+jwt","kid":"KID","crit":["exp"]}"#,
            #"{"alg":"HS256","alg":"HS256","typ":"at+jwt","kid":"KID"}"#, "[]", "", "{",
        ]
    )
    func headersAreReadStrictly(header: String) throws {
        let rules = try AccountRig.rules()
        let (id, key) = rules.keys.signing(.access)
        let payload = try #require(
            Base64URL.decode(rules.signer.token(.access, Self.claims()).split(separator: ".")[1])
        )
        let token = TokenSigner.signed(
            header: Array(header.replacing("KID", with: id).utf8),
            payload: payload,
            key: key
        )
        #expect(throws: TokenProblem.self) { try rules.verifier.claims(.access, token, now: Self.now) }
        let sound = TokenSigner.signed(
            header: Array(#"{"alg":"HS256","typ":"at+jwt","kid":"\#(id)"}"#.utf8),
            payload: payload,
            key: key
        )
        #expect(try rules.verifier.claims(.access, sound, now: Self.now).subject == "acc_1")
    }

    @Test func noByteMayChange() throws {
        let rules = try AccountRig.rules()
        let token = rules.signer.token(.access, Self.claims())
        for place in token.indices {
            var changed = token
            changed.replaceSubrange(place...place, with: token[place] == "A" ? "B" : "A")
            #expect(throws: TokenProblem.self) { try rules.verifier.claims(.access, changed, now: Self.now) }
        }
        for text in ["", ".", "..", "a.b.c", token + ".", token + "=", String(token.dropLast()), token + token] {
            #expect(throws: TokenProblem.self) { try rules.verifier.claims(.access, text, now: Self.now) }
        }
    }

    @Test func longTextIsNotLookedAt() throws {
        let rules = try AccountRig.rules()
        var claims = Self.claims()
        claims.username = String(repeating: "x", count: 4096)
        let token = rules.signer.token(.access, claims)
        #expect(throws: TokenProblem.malformed) { try rules.verifier.claims(.access, token, now: Self.now) }
    }

    @Test func shortRootsAreRefused() {
        #expect(TokenKeys(root: [UInt8](repeating: 1, count: 31)) == nil)
        #expect(TokenKeys(root: [UInt8](repeating: 1, count: 32), former: [1]) == nil)
    }
}
