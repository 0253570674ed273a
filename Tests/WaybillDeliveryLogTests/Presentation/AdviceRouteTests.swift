import Testing

@testable import WaybillDeliveryLog

struct AdviceRouteTests {
    @Test(
        arguments: [
            ([], []), (["Nothing."], []), (["Compare broker and store: `waybill check`."], []),
            (["See `waybill status`, `waybill rejected`.", "Or `waybill status`."], ["/v1/status", "/v1/rejected"]),
            (["Look at `waybill lanes`"], ["/v1/lanes"]),
            (["See: `waybill prune status`."], ["/v1/fuses"]), (["An accent ` alone, and waybill status"], []),
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

    @Test(
        arguments: [
            ("Go on: `waybill lanes resume parcels`.", .post, "/v1/lanes/parcels/resume"),
            ("Go on: `waybill lanes resume 'a b/c'`.", .post, "/v1/lanes/a%20b%2Fc/resume"),
            ("Lift: `waybill cancel --lift campaign.1`.", .delete, "/v1/batches/campaign.1/cancel"),
            (
                #"Lift: `waybill cancel --lift 'it'\''s' --client 'a&b'`."#, .delete,
                "/v1/batches/it%27s/cancel?client=a%26b"
            ),
        ] as [(String, AdviceRoute.Method, String)]
    )
    func anOrderHasItsRoute(sentence: String, method: AdviceRoute.Method, path: String) throws {
        let route = try #require(AdviceRoute.routes(in: [sentence]).first)
        #expect(route.method == method)
        #expect(route.path == path)
        #expect(route.access == (method == .post ? .lanes : .batches))
    }

    /// As a batch's name, or the note of an order, may try.
    @Test(arguments: [
        "It was cancelled (`waybill cancel --lift victim`): nothing is sent.",
        "Paused (`waybill lanes resume victim`): `waybill lanes resume parcels`.",
        "Lift: `waybill cancel --lift 'x` `waybill cancel --lift victim'`.", "Lift: `waybill cancel --lift 'x`.",
        #"Lift: `waybill cancel --lift 'x` `waybill cancel --lift victim --client '\'''`."#,
        "Lift: `waybill cancel --lift a b`.", "Lift: `waybill cancel --lift a --client b c`.",
    ])
    func wordsOfOthersAreNoOrders(sentence: String) {
        #expect(AdviceRoute.routes(in: [sentence]).isEmpty)
    }

    @Test func ordersAreForWhoMayGiveThem() {
        let stories = NotificationStories(
            notifications: [],
            next: ["Go on: `waybill lanes resume a`.", "Lift: `waybill cancel --lift b`."]
        )
        #expect(
            stories.json(access: [.installation, .batches]).hasSuffix(
                #""see":[{"command":"waybill cancel --lift b","delete":"/v1/batches/b/cancel"}]}"#
            )
        )
        #expect(stories.json().contains(#"{"command":"waybill lanes resume a","post":"/v1/lanes/a/resume"}"#))
        #expect(!stories.json(access: .installation).contains("see"))
    }

    @Test func aStoryHasTheRoutesOfItsWords() {
        let stories = NotificationStories(notifications: [], next: ["`waybill status` shows what waits."])
        #expect(stories.json().hasSuffix(#""see":[{"command":"waybill status","get":"/v1/status"}]}"#))
        #expect(!stories.json(access: []).contains("see"))
        let own = NotificationStories(notifications: [], next: ["`waybill explain a`, or `waybill rejected`."])
        #expect(
            own.json(access: []).hasSuffix(
                #""see":[{"command":"waybill explain a","get":"/v1/explain?apns_id=a"}]}"#
            )
        )
        let none = NotificationStories(notifications: [], next: ["Look."])
        #expect(!none.json().contains("see"))
    }
}
