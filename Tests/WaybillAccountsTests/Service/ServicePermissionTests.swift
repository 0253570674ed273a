import Testing

@testable import WaybillAccounts

struct ServicePermissionTests {
    /// Who may; whoever belongs to the service and is not here is refused.
    private static let table: [ServiceAction: Set<ServiceRole>] = [
        .read: [.member, .manager, .owner],
        .changeOwnLevels: [.member, .manager, .owner],
        .leave: [.member, .manager, .owner],
        .readKeys: [.manager, .owner],
        .changeKeys: [.manager, .owner],
        .readWebhooks: [.manager, .owner],
        .changeWebhooks: [.manager, .owner],
        .changeSettings: [.manager, .owner],
        .readMembers: [.manager, .owner],
        .manageMembers: [.manager, .owner],
        .manageOwners: [.owner],
        .readDerivedKey: [.owner],
        .invite: [.manager, .owner],
        .transfer: [.owner],
        .delete: [.owner],
    ]

    @Test(arguments: ServiceAction.allCases)
    func everyAction(action: ServiceAction) throws {
        let allowed = try #require(Self.table[action])
        #expect(ServicePermission.of(action, role: nil) == .unknown)
        for role in ServiceRole.allCases {
            #expect(ServicePermission.of(action, role: role) == (allowed.contains(role) ? .granted : .refused))
        }
    }

    @Test func rolesAscend() {
        #expect(ServiceRole.allCases.sorted() == [.member, .manager, .owner])
    }

    @Test(arguments: 0...7)
    func eachLevelIsOnOrOffForItself(mask: Int) {
        let levels = NotificationLevels(rawValue: mask)
        #expect(levels.includes(.info) == (mask & 1 != 0))
        #expect(levels.includes(.warning) == (mask & 2 != 0))
        #expect(levels.includes(.error) == (mask & 4 != 0))
    }
}
