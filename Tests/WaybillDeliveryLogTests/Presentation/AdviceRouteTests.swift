import Testing

@testable import WaybillDeliveryLog

struct AdviceRouteTests {
    @Test(
        arguments: [
            ([], []), (["Nothing."], []), (["Compare broker and store: `waybill check`."], []),
            (["See `waybill status`, `waybill rejected`.", "Or `waybill status`."], ["/v1/status", "/v1/rejected"]),
            (["Look at `waybill lanes`"], ["/v1/lanes"]), (["An accent ` alone, and waybill status"], []),
            (["One ` is open: `waybill status"], []),
            (
                ["One: `waybill explain 019a4f2e-7c10-8a31-9a3b-5d8c4e000007`."],
                ["/v1/explain?apns_id=019a4f2e-7c10-8a31-9a3b-5d8c4e000007"]
            ), (["`waybill explain a&b=c`"], ["/v1/explain?apns_id=a%26b%3Dc"]),
        ] as [([String], [String])]
    )
    func whatAdviceNamesHasItsRoute(sentences: [String], paths: [String]) {
        #expect(AdviceRoute.routes(in: sentences).map(\.path) == paths)
    }

    @Test func aStoryHasTheRoutesOfItsWords() {
        let stories = NotificationStories(notifications: [], next: ["`waybill status` shows what waits."])
        #expect(stories.json().hasSuffix(#""see":[{"command":"waybill status","get":"/v1/status"}]}"#))
        #expect(!stories.json(seesInstallation: false).contains("see"))
        let own = NotificationStories(notifications: [], next: ["`waybill explain a`, or `waybill rejected`."])
        #expect(
            own.json(seesInstallation: false).hasSuffix(
                #""see":[{"command":"waybill explain a","get":"/v1/explain?apns_id=a"}]}"#
            )
        )
        let none = NotificationStories(notifications: [], next: ["Look."])
        #expect(!none.json().contains("see"))
    }
}
