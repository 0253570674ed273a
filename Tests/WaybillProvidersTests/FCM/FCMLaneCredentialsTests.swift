import Testing
import WaybillCore
import WaybillFCM
import WaybillSimulator

@testable import WaybillProviders

/// Which lanes share their access tokens.
struct FCMLaneCredentialsTests {
    private static func setup(_ name: String, _ file: String) throws -> LaneSetup {
        let provider = FCMLaneSettings(rules: FCMLane(project: "parcels-4711"), serviceAccountFile: "key.json")
        return LaneSetup(
            settings: LaneSettings(name: name, provider: .fcm(provider)),
            connections: 1,
            key: Array(file.utf8)
        )
    }

    /// What buys elsewhere, or with another key of the same name, buys tokens of its own.
    @Test func onlyOneKeyAtOneEndpointIsShared() throws {
        let account = try SimulatorServiceAccount.generate()
        let other = try SimulatorServiceAccount.generate()
        #expect(account.keyID == other.keyID && account.clientEmail == other.clientEmail)
        var credentials = FCMLaneCredentials()
        let uri = "https://localhost:1/token"
        let first = try credentials.make(Self.setup("a", account.keyFile(tokenURI: uri)))
        let same = try credentials.make(Self.setup("b", account.keyFile(tokenURI: uri)))
        let elsewhere = try credentials.make(Self.setup("c", account.keyFile(tokenURI: "https://localhost:2/token")))
        let otherKey = try credentials.make(Self.setup("d", other.keyFile(tokenURI: uri)))
        #expect(first === same)
        #expect(first !== elsewhere && first !== otherKey && elsewhere !== otherKey)
    }
}
