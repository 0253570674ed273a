import Testing
import WaybillEncoding

@testable import WaybillAccounts

struct PermissionTests {
    /// Who may do what at the least, and whether it takes a key for all clients.
    private static let table: [Action: (role: Role, isAboutInstallation: Bool)] = [
        .readDeliveries: (.reader, false),
        .readTokens: (.investigator, false),
        .lookUpToken: (.investigator, false),
        .readStatus: (.reader, true),
        .orderLanes: (.operator, true), .decideFuses: (.operator, true),
        .cancelBatches: (.operator, false),
        .readCampaigns: (.reader, false),
        .sendCampaigns: (.operator, false),
        .readRejected: (.reader, true),
        .replayRejected: (.operator, true),
        .dropRejected: (.steward, true),
    ]

    @Test func rolesAscend() {
        #expect(Role.allCases.sorted() == [.reader, .investigator, .operator, .steward])
    }

    @Test(arguments: Action.allCases, Role.allCases)
    func everyRoleAndAction(action: Action, role: Role) throws {
        let (least, isAboutInstallation) = try #require(Self.table[action])
        let isEnough = role >= least
        #expect(Permission.of(action, role: role, clients: .all) == (isEnough ? .granted : .needs(least)))
        let limited: Permission = isAboutInstallation ? .needsAllClients : .granted
        for clients in [ClientScope.only(["acme"]), .only([])] {
            #expect(Permission.of(action, role: role, clients: clients) == (isEnough ? limited : .needs(least)))
        }
    }
}
