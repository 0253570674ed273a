import Testing
import WaybillMongo
import WaybillMongoTestSupport
import WaybillTestSupport

@testable import WaybillDeviceRegistry

/// People who share phones, and strangers who know their tokens: what one does changes nothing for the others.
@Suite(.enabled(if: TestDatabase.isAvailable, "WAYBILL_TEST_STORE is not set"))
struct SharedPhoneTests {
    private static let now = DeviceRegistrarTests.now
    private static let people = ["A", "B", "C"]

    /// A has moved from a phone's token to the next: who logs in by the former brings nobody back.
    @Test func whoHasMovedIsNotBroughtBack() async throws {
        try await SharedPhones.run { (phones: SharedPhones) throws in
            let acts: [PhoneAct] = [
                .put("A", "x", "aa"), .put("B", "d", "aa"), .logIn("A", "aa"), .remove("B", "d"), .put("A", "x", "bb"),
            ]
            for (number, act) in acts.enumerated() {
                #expect(try phones.act(act, at: Self.now + Int64(number)), "\(act)")
            }
            #expect(try phones.told(Self.people).told == ["A": ["bb"]])
            #expect(try phones.document("aa")?["enabled"] == .bool(false))
            #expect(try phones.act(.logIn("C", "aa"), at: Self.now + 10))
            #expect(try phones.told(Self.people).told == ["A": ["bb"], "C": ["aa"]])
        }
    }

    /// Whatever has disabled a token: who registers it has nobody told there but themselves.
    @Test(arguments: ["replaced", "logged_out", "Unregistered", "operator"], [false, true])
    func aTokenThatComesBackIsOfWhoeverBringsIt(reason: String, byTokenAlone: Bool) async throws {
        try await SharedPhones.run { (phones: SharedPhones) throws in
            #expect(try phones.act(.put("A", "x", "aa"), at: Self.now))
            #expect(try phones.act(.put("B", "x", "aa"), at: Self.now))
            let address = SharedPhones.address("aa")
            #expect(try phones.users.registrar.disable(address, reason: reason, now: Self.now + 1))
            let again: PhoneAct = byTokenAlone ? .logIn("C", "aa") : .put("C", "y", "aa")
            #expect(try phones.act(again, at: Self.now + 2))
            #expect(try phones.told(Self.people).told == ["C": ["aa"]])
            // The others' apps say it again, too.
            #expect(try phones.act(.put("A", "x", "aa"), at: Self.now + 3))
            #expect(try phones.told(Self.people).told == ["A": ["aa"], "C": ["aa"]])
        }
    }

    /// What a person takes back is as it was: nobody has registered the token meanwhile.
    @Test func aTokenThatIsEnabledAgainIsOfThePeopleThatItHad() async throws {
        try await SharedPhones.run { (phones: SharedPhones) throws in
            #expect(try phones.act(.put("A", "x", "aa"), at: Self.now))
            #expect(try phones.act(.die("aa"), at: Self.now + 1))
            _ = try phones.users.registrar.enable(SharedPhones.address("aa"), reason: "operator", now: Self.now + 2)
            #expect(try phones.told(Self.people).told == ["A": ["aa"]])
        }
    }

    /// Who is logged in on a phone, nobody knows by which token, stays at the one that it has.
    @Test func anEarlierLinkDoesNotFollowARetiredToken() async throws {
        try await SharedPhones.run { (phones: SharedPhones) throws in
            let registrar = phones.users.registrar
            for (number, token) in ["aa", "bb"].enumerated() {
                let entry = DeviceRegistrarTests.entry(token, at: Self.now + Int64(number), device: "x")
                _ = try registrar.register([entry], now: Self.now + Int64(number))
            }
            _ = try phones.links.logIn(user: "A", device: "x", app: SharedPhones.app, at: Self.now + 2)
            #expect(try phones.told(Self.people).told == ["A": ["bb"]])
            #expect(try phones.act(.logIn("C", "aa"), at: Self.now + 3))
            #expect(try phones.told(Self.people).told == ["A": ["bb"], "C": ["aa"]])
        }
    }

    /// Whoever comes with somebody's token under another id changes nothing of what is said of it.
    @Test func aGuestChangesNothingOfAToken() async throws {
        try await SharedPhones.run { (phones: SharedPhones) throws in
            func put(_ user: String, _ device: String, _ word: String, at time: Int64) throws {
                var entry = DeviceRegistrarTests.entry("aa", at: Self.now + time, device: device)
                (entry.tags, entry.locale, entry.timeZone, entry.appVersion) = ([word], word, word, word)
                #expect(try phones.users.logIn(user: user, as: entry, now: Self.now + time))
            }
            func said() throws -> [String?] {
                let device = Device(try #require(try phones.document("aa")))
                return [device.device, device.locale, device.timeZone, device.appVersion] + device.tags
            }
            func tags(_ user: String) throws -> [[String]] {
                try phones.links.registered(phones.links.all(of: user)).values.map(\.tags)
            }
            try put("A", "x", "a", at: 0)
            for time in [1, 4_000_000, 8_000_000] as [Int64] {
                try put("B", "d", "b", at: time)
                #expect(try said() == ["x", "a", "a", "a", "a"])
            }
            #expect(try phones.told(Self.people).told == ["A": ["aa"], "B": ["aa"]])
            // Nor are they a guest's to see.
            #expect((try tags("A"), try tags("B")) == ([["a"]], [[]]))
            let seen = try #require(try phones.links.registered(phones.links.all(of: "B")).values.first)
            #expect(seen.token == "aa" && seen.provider == "apns" && seen.app == SharedPhones.app)
            let words = [seen.device, seen.user, seen.locale, seen.timeZone, seen.appVersion, seen.client]
            #expect(words.allSatisfy { $0 == nil } && seen.registeredAt == nil && seen.seenAt == nil)
            // The phone's own people are heard, also who comes last.
            try put("A", "x", "c", at: 8_000_001)
            #expect(try said() == ["x", "c", "c", "c", "c"])
            try put("C", "x", "e", at: 8_000_002)
            #expect(try said() == ["x", "e", "e", "e", "e"])
            // With the last of them, the token is the guest's.
            for user in ["A", "C"] { #expect(try phones.act(.remove(user, "x"), at: Self.now + 8_000_003)) }
            try put("B", "d", "b", at: 8_000_004)
            #expect(try said() == ["d", "b", "b", "b", "b"])
            #expect(try tags("B") == [["b"]])
        }
    }

    /// An app's own id is shown to nobody who never said it.
    @Test func aTokenTellsNobodyItsPhonesID() async throws {
        try await SharedPhones.run { (phones: SharedPhones) throws in
            func ids(_ user: String) throws -> [String] { try phones.links.all(of: user).map(\.device) }
            #expect(try phones.act(.put("A", "x", "aa"), at: Self.now))
            #expect(try phones.act(.logIn("B", "aa"), at: Self.now + 1))
            #expect(try phones.act(.logIn("A", "aa"), at: Self.now + 2))
            #expect(try ids("A") == ["x"])
            #expect(try ids("B").allSatisfy { $0.hasPrefix("token-") })
            #expect(try phones.document("aa")?["device"]?.string == "x")
            #expect(try phones.act(.remove("A", "x"), at: Self.now + 3))
            #expect(try phones.act(.logOut("C", "aa"), at: Self.now + 4))
            #expect(try phones.act(.logIn("C", "aa"), at: Self.now + 5))
            #expect(try ids("C").allSatisfy { $0.hasPrefix("token-") })
            #expect(try phones.told(Self.people).told == ["B": ["aa"], "C": ["aa"]])
        }
    }

    /// What an earlier release has made of a token's kind is what its form says, once its app comes again.
    @Test func aKindIsThatOfTheForm() async throws {
        try await SharedPhones.run { (phones: SharedPhones) throws in
            let token = "cXyZ0123456789abcdefgh"
            let address = DeviceAddress(provider: .fcm, app: SharedPhones.app, environment: nil, token: token)
            for (kind, time) in [(DeviceTokenKind.token, 0), (.installation, 1)] as [(DeviceTokenKind, Int64)] {
                var entry = DeviceEntry(address: address, kind: kind)
                (entry.device, entry.registeredAt) = ("x", Self.now + time)
                #expect(try phones.users.logIn(user: "A", as: entry, now: Self.now + time))
            }
            #expect(try phones.document(token)?["kind"]?.string == "installation")
            for said in [nil, "token"] {
                var form = DeviceForm()
                form.texts = ["provider": "fcm", "app": "parcels", "token": token]
                form.texts["kind"] = said
                let fault = #expect(throws: DeviceFault.self) {
                    try form.entry(registeredAt: Self.now, now: Self.now) { _ in nil }
                }
                #expect(fault?.field == "kind")
            }
        }
    }

    private struct Pair: CustomStringConvertible, Sendable {
        let before: [PhoneAct]
        let first: PhoneAct
        let second: PhoneAct

        var description: String { "\(before) | \(first) | \(second)" }
    }

    private static let pairs = [
        Pair(before: [.put("A", "x", "aa")], first: .put("B", "d", "aa"), second: .logIn("C", "aa")),
        Pair(before: [.put("A", "x", "aa")], first: .put("A", "x", "bb"), second: .logIn("B", "aa")),
        Pair(
            before: [.put("A", "x", "aa"), .put("B", "d", "aa"), .logIn("A", "aa")],
            first: .put("A", "d", "bb"),
            second: .remove("B", "d")
        ),
        Pair(
            before: [.put("A", "x", "aa"), .put("B", "d", "aa")],
            first: .put("A", "x", "bb"),
            second: .remove("B", "d")
        ),
        Pair(
            before: [.put("A", "x", "aa"), .put("A", "x", "bb")],
            first: .put("C", "d", "aa"),
            second: .logIn("B", "aa")
        ),
        Pair(
            before: [.put("A", "x", "aa"), .put("A", "x", "bb")],
            first: .logIn("C", "aa"),
            second: .logIn("B", "aa")
        ),
        Pair(
            before: [.put("A", "x", "aa"), .logIn("B", "aa")],
            first: .put("A", "x", "bb"),
            second: .logOut("B", "aa")
        ),
        Pair(before: [.put("A", "x", "aa"), .die("aa")], first: .put("A", "x", "aa"), second: .logIn("B", "aa")),
        Pair(before: [.put("A", "x", "aa")], first: .put("A", "x", "bb"), second: .end("A")),
    ]

    /// Two at once, in all orders of their steps: it is as if one had come after the other.
    ///
    /// Then strangers come with all tokens that there are, which changes nothing for these.
    @Test(arguments: pairs.indices) func twoAtOnceAreOneAfterTheOther(index: Int) async throws {
        let pair = Self.pairs[index]
        try await SharedPhones.run { (phones: SharedPhones) throws in
            let counts = try [pair.first, pair.second].map { try phones.steps($0, at: Self.now).count }
            for (number, order) in PhoneSteps.orders(of: counts[0], beside: counts[1]).enumerated() {
                let tokens = ["aa\(number)", "bb\(number)"]
                func named(_ act: PhoneAct) -> PhoneAct { act.named("\(number)", withPeople: false) }
                func told() throws -> ToldModel {
                    ToldModel(try phones.told(Self.people).told.mapValues { $0.intersection(tokens) })
                }
                for (number, act) in pair.before.map(named).enumerated() {
                    #expect(try phones.act(act, at: Self.now + Int64(number)))
                }
                let before = try told()
                let acts = [named(pair.first), named(pair.second)]
                let formers = try acts.map { try former($0, tokens, phones) }
                let steps = try acts.map { try phones.steps($0, at: Self.now + 10) }
                for isFirst in order { try steps[isFirst ? 0 : 1].next() }
                let shown = "\(pair) \(order.map { $0 ? "1" : "2" }.joined())"
                let answers = try steps.map { try #require($0.answer as Bool?, "\(shown)") }
                let ways = [[0, 1], [1, 0]].map { way in
                    way.reduce(before) { $0.after(acts[$1], isTaken: answers[$1], former: formers[$1]) }
                }
                let after = try told()
                #expect(ways.contains(after), "\(shown): \(after.told), \(answers)")
                for (number, token) in tokens.enumerated() {
                    #expect(try phones.act(.logIn("S", token), at: Self.now + 20 + Int64(number)))
                    #expect(try phones.act(.put("R", "r\(token)", token), at: Self.now + 30 + Int64(number)))
                }
                #expect(try told() == after, "\(shown): strangers")
            }
        }
    }

    private func former(_ act: PhoneAct, _ tokens: [String], _ phones: SharedPhones) throws -> String? {
        switch act {
        case .put(let user, let device, let token):
            let link = try phones.token(of: user, under: device, among: tokens)
            return link.flatMap { $0.isEnabled && $0.token != token ? $0.token : nil }
        case .remove(let user, let device): return try phones.token(of: user, under: device, among: tokens)?.token
        default: return nil
        }
    }

    /// Anybody does anything, by lot: it changes nothing for the others, and for those who do it what they have asked for.
    @Test(arguments: [3, 15] as [UInt64]) func nobodyChangesWhatOthersAreTold(seed: UInt64) async throws {
        var generator = SplitMix(state: seed)
        let people = ["A", "B", "C", "D"]
        let tokens = ["aa", "bb", "cc", "dd"]
        let devices = ["x", "y", "z"]
        try await SharedPhones.run { (phones: SharedPhones) throws in
            var (time, trail): (Int64, [String]) = (Self.now, [])
            var before = try phones.told(people)
            for step in 0..<300 {
                time += [1, 1, 5, 4_000_000].randomElement(using: &generator) ?? 1
                let act = Self.act(people, devices, tokens, &generator)
                let former = try former(act, tokens, phones)
                let home = try guestHome(act, phones)
                let isTaken = try phones.act(act, tags: act.user.map { [$0] }, at: time)
                let after = try phones.told(people)
                trail.append("\(act): \(isTaken) \(after.told)")
                let expected = before.after(act, isTaken: isTaken, former: former)
                if after != expected || home.map({ $0.isSame(as: try? phones.document($0.token)) }) == false {
                    Issue.record("step \(step): \(expected.told) expected, \(trail.suffix(12).joined(separator: "; "))")
                    return
                }
                if case .put(let user, _, _) = act, isTaken {
                    #expect(try phones.act(act, tags: [user], at: time + 1), "\(act) again, \(trail.suffix(12))")
                    time += 1
                    #expect(try phones.told(people) == after)
                }
                before = after
            }
        }
    }

    private static func act(
        _ people: [String],
        _ devices: [String],
        _ tokens: [String],
        _ generator: inout SplitMix
    ) -> PhoneAct {
        func one(_ list: [String]) -> String { list[Int.random(in: list.indices, using: &generator)] }
        let (user, device, token) = (one(people), one(devices), one(tokens))
        return switch Int.random(in: 0..<16, using: &generator) {
        case 0..<6: .put(user, device, token)
        case 6..<9: .logIn(user, token)
        case 9..<11: .logOut(user, token)
        case 11..<13: .remove(user, device)
        case 13: .end(user)
        default: .die(token)
        }
    }

    /// What is said of a token to which somebody comes as a guest.
    private struct Home {
        let token: String
        let said: [BSONValue?]

        init(token: String, _ document: BSONDocument) {
            self.token = token
            said = Self.said(document)
        }

        func isSame(as document: BSONDocument?) -> Bool { document.map { Self.said($0) == said } ?? false }

        private static func said(_ document: BSONDocument) -> [BSONValue?] { [document["device"], document["tags"]] }
    }

    private func guestHome(_ act: PhoneAct, _ phones: SharedPhones) throws -> Home? {
        guard case .put(let user, let device, let token) = act, let document = try phones.document(token),
            document["enabled"] == .bool(true), let place = document["device"]?.string, place != device
        else { return nil }
        for other in ["A", "B", "C", "D"] where other != user {
            guard let link = try phones.links.link(of: other, on: place, app: SharedPhones.app), link.isEnabled,
                link.token?.text == LinkedToken.hash(token)
            else { continue }
            return Home(token: token, document)
        }
        return nil
    }
}
