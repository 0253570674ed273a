import Testing
import WaybillSettings
import WaybillThreads

@testable import WaybillHTTPAPI

struct StrangerAllowancesTests {
    private static let now = MonotonicTime(nanoseconds: 1_000_000_000_000)

    private func allowances() -> StrangerAllowances {
        StrangerAllowances(.init(signUpsPerHour: 5, logInsPerMinute: 10, checksPerMinute: 30))
    }

    /// How many of these are let in.
    private func granted(
        _ allowances: StrangerAllowances,
        _ kind: StrangerAllowances.Kind,
        _ addresses: some Sequence<String>
    ) -> Int {
        addresses.count { allowances.take(kind, AddressNeighbourhood.name($0), now: Self.now) == nil }
    }

    @Test(arguments: [
        ("2001:db8:1:203::1", ["20010db800010203", "20010db8000102/56", "20010db80001/48", "20010db8/32"]),
        ("192.0.2.7", ["192.0.2.7", "192.0.2/24", "192.0/16"]), ("", [""]), ("somewhere", ["somewhere"]),
    ])
    func widerAndWiderBlocks(address: String, names: [String]) {
        #expect(AddressBlock.around(AddressNeighbourhood.name(address)).map(\.name) == names)
    }

    /// 505 resends of 101 networks of one /56, as somebody at home can have them.
    @Test func oneCustomerOfIPv6ClosesNothing() {
        let allowances = allowances()
        let flood = (0..<505).map { "2001:db8:1:\(String($0 % 101, radix: 16))::1" }
        #expect(granted(allowances, .resend, flood) == 20)
        #expect(granted(allowances, .signUp, ["192.0.2.77"]) == 1)
    }

    /// 1,100 log-ins of 110 networks, and of a whole /32 and a whole /16.
    @Test func oneNetworkLeavesHalfToTheOthers() {
        let networks: [(Int) -> String] = [
            { "2001:db8:\(String($0, radix: 16))::1" }, { "192.0.\($0 % 256).\($0 / 256)" },
        ]
        for address in networks {
            let allowances = allowances()
            #expect(granted(allowances, .logIn, (0..<4000).map(address)) == 500)
            #expect(granted(allowances, .logIn, (0..<20).map { "198.51.\($0).7" }) == 20)
        }
    }

    /// Where several networks ask for all that there is, the rest is for those who have asked for little.
    @Test func theLastQuarterIsForQuietNetworks() {
        let allowances = allowances()
        for network in 0..<8 {
            _ = granted(allowances, .logIn, (0..<4000).map { "10.\(network).\($0 % 256).\($0 / 256)" })
        }
        #expect(granted(allowances, .logIn, ["10.1.255.255"]) == 0)
        #expect(granted(allowances, .logIn, (0..<20).map { "198.51.\($0).7" }) == 20)
    }

    /// What asks for mails again and again leaves signing up open, but to itself.
    @Test func mailsThatAreAskedForAgainAreCountedAlone() {
        let allowances = allowances()
        for network in 0..<200 {
            _ = granted(allowances, .resend, (0..<100).map { "\(network).1.\($0).1" })
        }
        #expect(granted(allowances, .signUp, ["203.0.113.5"]) == 1)
        #expect(granted(allowances, .resend, Array(repeating: "203.0.113.6", count: 9)) == 0)
        let other = self.allowances()
        #expect(granted(other, .resend, Array(repeating: "203.0.113.6", count: 9)) == 5)
        #expect(granted(other, .signUp, ["203.0.113.6"]) == 0)
    }

    /// Sign-ups of others at an office close no reset there.
    @Test func resetsAreCountedAlone() {
        let allowances = allowances()
        #expect(granted(allowances, .signUp, Array(repeating: "203.0.113.6", count: 9)) == 5)
        #expect(granted(allowances, .reset, Array(repeating: "203.0.113.6", count: 9)) == 5)
    }

    @Test func whatIsRefusedCountsNowhere() {
        let allowances = allowances()
        #expect(granted(allowances, .signUp, Array(repeating: "192.0.2.7", count: 5000)) == 5)
        #expect(granted(allowances, .signUp, ["192.0.2.8"]) == 1)
    }
}
