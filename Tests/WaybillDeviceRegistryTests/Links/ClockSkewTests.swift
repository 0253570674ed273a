import Testing
import WaybillMongo
import WaybillMongoTestSupport

@testable import WaybillDeviceRegistry

/// Two processes whose clocks differ by some minutes: what somebody does is the latest word, whichever of them hears it.
@Suite(.enabled(if: TestDatabase.isAvailable, "WAYBILL_TEST_STORE is not set"))
struct ClockSkewTests {
    private static let now = DeviceRegistrarTests.now

    /// What is done in the first process, in the second, and who is told then.
    private struct Story: CustomStringConvertible {
        let first: [PhoneAct]
        let second: [PhoneAct]
        let told: [String: Set<String>]

        var description: String { "\(first) | \(second)" }
    }

    private static let stories = [
        Story(first: [.put("A", "d", "aa"), .remove("A", "d")], second: [.put("A", "d", "aa")], told: ["A": ["aa"]]),
        Story(first: [.put("A", "d", "aa"), .end("A")], second: [.put("A", "d", "aa")], told: ["A": ["aa"]]),
        Story(first: [.logIn("A", "aa"), .logOut("A", "aa")], second: [.logIn("A", "aa")], told: ["A": ["aa"]]),
        Story(first: [.logIn("A", "aa"), .end("A")], second: [.logIn("A", "aa")], told: ["A": ["aa"]]),
        Story(first: [.put("A", "d", "aa"), .depart("A")], second: [.put("B", "d", "aa")], told: ["B": ["aa"]]),
        Story(first: [.logIn("A", "aa"), .depart("A")], second: [.logIn("B", "aa")], told: ["B": ["aa"]]),
        Story(first: [.put("A", "d", "aa"), .die("aa")], second: [.put("A", "d", "aa")], told: ["A": ["aa"]]),
        Story(first: [.put("A", "d", "aa")], second: [.put("A", "d", "bb")], told: ["A": ["bb"]]),
        Story(
            first: [.put("A", "d", "aa"), .put("A", "d", "bb")],
            second: [.put("A", "d", "aa")],
            told: ["A": ["aa"]]
        ),
        Story(
            first: [.put("A", "d", "aa"), .put("A", "d", "bb")],
            second: [.logIn("A", "aa")],
            told: ["A": ["aa", "bb"]]
        ),
        Story(first: [.put("A", "d", "aa")], second: [.remove("A", "d")], told: [:]),
        Story(first: [.logIn("A", "aa")], second: [.logOut("A", "aa")], told: [:]),
        Story(first: [.put("A", "d", "aa")], second: [.end("A")], told: [:]),
        // A token that comes back is of whoever brings it.
        Story(
            first: [.put("A", "d", "aa")],
            second: [.put("A", "d", "bb"), .put("C", "e", "aa")],
            told: ["A": ["bb"], "C": ["aa"]]
        ),
        Story(
            first: [.put("A", "d", "aa"), .put("B", "d", "aa")],
            second: [.put("A", "d", "aa"), .remove("A", "d")],
            told: ["B": ["aa"]]
        ),
    ]

    @Test(arguments: [-200_000, -5_000, -1, 0, 1, 5_000, 200_000] as [Int64])
    func theLatestWordCounts(ahead: Int64) async throws {
        try await SharedPhones.run { (phones: SharedPhones) throws in
            for (number, story) in Self.stories.enumerated() {
                let suffix = "-\(number)"
                for (number, act) in story.first.enumerated() {
                    let time = Self.now + ahead + Int64(number)
                    #expect(try phones.act(act.named(suffix), at: time), "\(story): \(act)")
                }
                for (number, act) in story.second.enumerated() {
                    let time = Self.now + Int64(story.first.count + number)
                    #expect(try phones.act(act.named(suffix), at: time), "\(story): \(act)")
                }
                let told = try phones.told(["A", "B", "C"].map { $0 + suffix })
                let expected = story.told.map { ($0 + suffix, Set($1.map { $0 + suffix })) }
                #expect(told.told == Dictionary(uniqueKeysWithValues: expected), "\(story)")
            }
        }
    }

    /// Of more phones than somebody may have, the one that was logged in first goes, whichever clock was ahead.
    @Test(arguments: [-5_000, 5_000] as [Int64], [false, true])
    func theFirstPhoneGoes(ahead: Int64, byTokenAlone: Bool) async throws {
        try await SharedPhones.run { (phones: SharedPhones) throws in
            for (token, time) in [("aa", Self.now + ahead), ("bb", Self.now + 1)] {
                if byTokenAlone {
                    let address = SharedPhones.address(token)
                    try phones.users.logIn(user: "A", on: address, client: nil, most: 1, now: time)
                } else {
                    let entry = DeviceRegistrarTests.entry(token, at: time, device: "of \(token)")
                    #expect(try phones.users.logIn(user: "A", as: entry, most: 1, now: time))
                }
                #expect(try phones.told(["A"]).told == ["A": [token]])
            }
        }
    }

    /// A phone is that of the log-in in which it was registered last: it ends with that one, and with no other.
    @Test(arguments: [-5_000, 5_000] as [Int64]) func aPhoneIsOfTheLatestLogIn(ahead: Int64) async throws {
        try await SharedPhones.run { (phones: SharedPhones) throws in
            for (login, time) in [("one", Self.now + ahead), ("two", Self.now + 1)] {
                let entry = DeviceRegistrarTests.entry("aa", at: time, device: "d")
                #expect(try phones.users.logIn(user: "A", as: entry, in: login, now: time))
            }
            try phones.links.logOut(user: "A", of: .these(["one"]), at: Self.now + 2)
            #expect(try phones.told(["A"]).told == ["A": ["aa"]])
            try phones.links.logOut(user: "A", of: .these(["two"]), at: Self.now + 3)
            #expect(try phones.told(["A"]).told.isEmpty)
        }
    }

    /// An app that makes itself a new id has left the one before, and a link that knows no token ends, too.
    @Test(arguments: [-5_000, 5_000] as [Int64]) func whatAnIDLeavesBehind(ahead: Int64) async throws {
        try await SharedPhones.run { (phones: SharedPhones) throws in
            func enabled() throws -> [String] {
                try phones.links.all(of: "A").filter(\.isEnabled).map(\.device)
            }
            #expect(try phones.act(.put("A", "x", "aa"), at: Self.now + ahead))
            #expect(try phones.act(.put("A", "y", "aa"), at: Self.now + 1))
            #expect(try enabled() == ["y"])
            #expect(try phones.act(.remove("A", "y"), at: Self.now + 2))
            _ = try phones.links.logIn(user: "A", device: "z", app: SharedPhones.app, at: Self.now + ahead)
            #expect(try enabled() == ["z"])
            #expect(try phones.act(.remove("A", "z"), at: Self.now + 3))
            #expect(try enabled().isEmpty)
        }
    }

    /// A file tells when an app has registered: a token that has ended since stays so.
    @Test func aFilesTimeIsWhatItSays() async throws {
        try await SharedPhones.run { (phones: SharedPhones) throws in
            #expect(try phones.act(.put("A", "d", "aa"), at: Self.now))
            #expect(try phones.act(.die("aa"), at: Self.now + 10))
            let entry = DeviceRegistrarTests.entry("aa", at: Self.now + 5, device: "d")
            let outcomes = try phones.users.registrar.register([entry], now: Self.now + 20).outcomes
            #expect(outcomes == [.older])
            #expect(try phones.document("aa")?["enabled"]?.bool == false)
        }
    }
}
