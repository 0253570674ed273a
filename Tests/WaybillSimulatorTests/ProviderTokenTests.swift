import Testing
import WaybillSimulator
import WaybillTLS
import WaybillThreads

@Suite struct ProviderTokenTests {
    static let now: Int64 = 1_800_000_000
    let credentials: SimulatorCredentials
    let stranger: SimulatorCredentials

    init() throws {
        credentials = try .generate()
        stranger = try .generate()
    }

    func gate(_ policy: ProviderTokenCheck.Policy = .init(), _ authentication: SimulatorAuthentication? = nil)
        -> ProviderTokenCheck
    {
        ProviderTokenCheck(
            verifier: ProviderTokenVerifier(authentication: authentication ?? .keys([credentials.key])),
            policy: policy
        )
    }

    func refusal(_ gate: inout ProviderTokenCheck, _ header: String?, second: Int64 = now) -> DocumentedReason? {
        gate.refusal(
            of: header.map { Array($0.utf8)[...] },
            seconds: second,
            time: MonotonicTime(nanoseconds: UInt64(second - Self.now + 10_000) * 1_000_000_000)
        )
    }

    @Test func takesAGoodToken() throws {
        let token = try credentials.providerToken(issuedAt: Self.now)
        var gate = gate()
        #expect(refusal(&gate, "bearer \(token)") == nil)
        #expect(refusal(&gate, "Bearer \(token)") == nil)
    }

    @Test func readsTheClaims() throws {
        let token = try credentials.providerToken(issuedAt: 17)
        let read = try #require(ProviderToken(authorization: Array("bearer \(token)".utf8)[...]))
        #expect(read.keyID == credentials.keyID)
        #expect(read.teamID == credentials.teamID)
        #expect(read.issuedAt == 17)
        #expect(read.signature.count == 64)
        #expect(read.signedText == Array(token.prefix(upTo: token.lastIndex(of: ".")!).utf8))
    }

    @Test func withoutATokenThereIsNothingToJudge() {
        var gate = gate()
        #expect(refusal(&gate, nil) == .missingProviderToken)
    }

    @Test(arguments: [
        #"{"alg":"none","kid":"ABC123DEFG"}"#, #"{"alg":"HS256","kid":"ABC123DEFG"}"#, #"{"alg":"ES256"}"#,
        #"{"alg":"ES256","kid":"ABC123DEFX"}"#, #"{"alg":"ES256","kid":1}"#, #"[]"#, #"{"alg":"ES256","kid":"#,
    ])
    func refusesHeaders(header: String) throws {
        let claims = #"{"iss":"ABCDE12345","iat":\#(Self.now)}"#
        var gate = gate()
        #expect(
            refusal(&gate, "bearer \(try credentials.providerToken(header: header, claims: claims))")
                == .invalidProviderToken
        )
    }

    @Test(arguments: [
        #"{"iss":"ABCDE12346","iat":1800000000}"#, #"{"iat":1800000000}"#, #"{"iss":"ABCDE12345"}"#,
        #"{"iss":"ABCDE12345","iat":"1800000000"}"#, #"{"iss":"ABCDE12345","iat":1800000000.5}"#, #"x"#,
    ])
    func refusesClaims(claims: String) throws {
        let header = #"{"alg":"ES256","kid":"ABC123DEFG"}"#
        var gate = gate()
        #expect(
            refusal(&gate, "bearer \(try credentials.providerToken(header: header, claims: claims))")
                == .invalidProviderToken
        )
    }

    @Test func refusesWhatIsNoToken() throws {
        let token = try credentials.providerToken(issuedAt: Self.now)
        let foreign = try stranger.providerToken(issuedAt: Self.now)
        let parts = token.split(separator: ".")
        let spoiled = "\(parts[0]).\(parts[1]).\(foreign.split(separator: ".")[2])"
        for header in [
            "", "bearer", "bearer ", token, "basic \(token)", "bearer \(parts[0])", "bearer a.b.c",
            "bearer \(token).x", "bearer \(foreign)", "bearer \(spoiled)",
        ] {
            var gate = gate()
            #expect(refusal(&gate, header) == .invalidProviderToken, "\(header)")
        }
    }

    static let ages: [(Int64, DocumentedReason?)] = [
        (0, nil), (3600, nil), (3601, .expiredProviderToken), (-60, nil), (-61, .expiredProviderToken),
        (now - Int64.max, .expiredProviderToken),
    ]

    @Test(arguments: ages)
    func judgesTheAge(age: Int64, reason: DocumentedReason?) throws {
        let token = try credentials.providerToken(issuedAt: Self.now - age)
        var gate = gate()
        #expect(refusal(&gate, "bearer \(token)") == reason)
    }

    @Test func aTokenExpiresOnALiveConnection() throws {
        let old = try credentials.providerToken(issuedAt: Self.now)
        let new = try credentials.providerToken(issuedAt: Self.now + 3601)
        var gate = gate()
        #expect(refusal(&gate, "bearer \(old)") == nil)
        #expect(refusal(&gate, "bearer \(old)", second: Self.now + 3601) == .expiredProviderToken)
        #expect(refusal(&gate, "bearer \(new)", second: Self.now + 3601) == nil)
        var sticky = self.gate(.init(expiredTokenSticks: true))
        #expect(refusal(&sticky, "bearer \(old)", second: Self.now + 3601) == .expiredProviderToken)
        #expect(refusal(&sticky, "bearer \(new)", second: Self.now + 3601) == .expiredProviderToken)
    }

    @Test func aConnectionMayNotChangeItsTokenTooOften() throws {
        let tokens = try (0..<3).map { try credentials.providerToken(issuedAt: Self.now + $0) }
        var gate = gate(.init(minimumUpdateInterval: .seconds(1200)))
        #expect(refusal(&gate, "bearer \(tokens[0])") == nil)
        #expect(refusal(&gate, "bearer \(tokens[1])", second: Self.now + 1199) == .tooManyProviderTokenUpdates)
        #expect(refusal(&gate, "bearer \(tokens[0])", second: Self.now + 1199) == nil)
        #expect(refusal(&gate, "bearer \(tokens[1])", second: Self.now + 1200) == nil)
        #expect(refusal(&gate, "bearer \(tokens[2])", second: Self.now + 1201) == .tooManyProviderTokenUpdates)
        var free = self.gate()
        for token in tokens { #expect(refusal(&free, "bearer \(token)") == nil) }
    }

    @Test func aConnectionBelongsToItsFirstKey() throws {
        let other = SimulatorCredentials(keyID: "OTHER12345", teamID: stranger.teamID, privateKey: stranger.privateKey)
        var gate = gate(.init(), .keys([credentials.key, other.key]))
        #expect(refusal(&gate, "bearer \(try credentials.providerToken(issuedAt: Self.now))") == nil)
        #expect(refusal(&gate, "bearer \(try other.providerToken(issuedAt: Self.now))") == .unrelatedKeyID)
    }

    @Test func lesserDemands() throws {
        var any = gate(.init(), .anyToken)
        #expect(refusal(&any, "bearer \(try stranger.providerToken(issuedAt: Self.now))") == nil)
        #expect(refusal(&any, "bearer \(try stranger.providerToken(issuedAt: 0))") == .expiredProviderToken)
        #expect(refusal(&any, "bearer x") == .invalidProviderToken)
        var none = gate(.init(), SimulatorAuthentication.none)
        #expect(refusal(&none, nil) == nil)
        #expect(refusal(&none, "bearer x") == nil)
    }

    @Test func theAgeCanBeChosen() throws {
        var policy = ProviderTokenCheck.Policy()
        policy.maximumAge = .seconds(60)
        var gate = gate(policy)
        #expect(refusal(&gate, "bearer \(try credentials.providerToken(issuedAt: Self.now - 60))") == nil)
        #expect(
            refusal(&gate, "bearer \(try credentials.providerToken(issuedAt: Self.now - 61))") == .expiredProviderToken
        )
    }

    @Test func allTokensCanBeRefused() throws {
        var policy = ProviderTokenCheck.Policy()
        policy.reasonForAll = .badEnvironmentKeyID
        var gate = gate(policy)
        #expect(refusal(&gate, "bearer \(try credentials.providerToken(issuedAt: Self.now))") == .badEnvironmentKeyID)
        var none = self.gate(policy, SimulatorAuthentication.none)
        #expect(refusal(&none, nil) == nil)
    }

    /// Two connections of one key, where its updates are counted together.
    @Test func updatesMayCountTogether() throws {
        var policy = ProviderTokenCheck.Policy(minimumUpdateInterval: .seconds(1200))
        policy.countsTogether = true
        let tokens = try (0..<3).map { "bearer \(try credentials.providerToken(issuedAt: Self.now + Int64($0)))" }
        let history = ProviderTokenHistory()
        var first = gate(policy)
        var second = gate(policy)
        func ask(_ gate: inout ProviderTokenCheck, _ token: Int, second: UInt64) -> DocumentedReason? {
            gate.refusal(
                of: Array(tokens[token].utf8)[...],
                seconds: Self.now,
                time: MonotonicTime(nanoseconds: second * 1_000_000_000),
                history: history
            )
        }
        let answers = [
            ask(&first, 0, second: 0), ask(&second, 0, second: 1), ask(&second, 1, second: 1199),
            ask(&second, 1, second: 1201), ask(&first, 2, second: 1202), ask(&first, 0, second: 1202),
        ]
        let tooMany = DocumentedReason.tooManyProviderTokenUpdates
        #expect(answers == [nil, nil, tooMany, nil, tooMany, nil])
        // A connection that is new to the key may show what is known, and nothing else.
        var third = gate(policy)
        let known = ask(&third, 1, second: 1203)
        #expect(known == nil)
        var fourth = gate(policy)
        let unknown = ask(&fourth, 2, second: 1204)
        #expect(unknown == tooMany)
    }
}
