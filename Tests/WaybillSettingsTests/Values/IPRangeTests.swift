import Testing

@testable import WaybillSettings

struct IPRangeTests {
    @Test(arguments: [
        ("10.0.0.1", "10.0.0.1", true), ("10.0.0.1", "10.0.0.2", false), ("10.0.0.0/8", "10.255.0.9", true),
        ("10.0.0.0/8", "11.0.0.0", false), ("10.0.0.0/9", "10.127.1.1", true), ("10.0.0.0/9", "10.128.1.1", false),
        ("0.0.0.0/0", "192.0.2.1", true), ("0.0.0.0/0", "::1", false), ("10.0.0.0/8", "::ffff:10.1.2.3", true),
        ("2001:db8::/33", "2001:db8:7fff::1", true), ("2001:db8::/33", "2001:db8:8000::1", false), ("::1", "::1", true),
        ("10.0.0.0/8", "nonsense", false), ("10.0.0.0/8", "", false),
    ])
    func contains(range: String, address: String, isIn: Bool) throws {
        #expect(try #require(IPRange(range)).contains(address) == isIn)
    }

    @Test(arguments: [
        "", "host", "10.0.0", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/", "::/129", "10.0.0.0/8/8", "/8", "10.0.0.0/+8",
    ])
    func whatIsNoRange(text: String) {
        #expect(IPRange(text) == nil)
    }
}
