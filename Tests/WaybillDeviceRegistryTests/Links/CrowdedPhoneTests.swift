import Testing
import WaybillDeviceRegistryTestSupport
import WaybillMongo
import WaybillMongoTestSupport
import WaybillTestSupport

@testable import WaybillDeviceRegistry

/// Three and four who come at once around one id and two tokens: whoever is told that they are logged in is told by their token,
/// and whoever is refused has taken nothing from anybody.
@Suite(.enabled(if: TestDatabase.isAvailable, "WAYBILL_TEST_STORE is not set"))
struct CrowdedPhoneTests {
    private static let now = DeviceRegistrarTests.now

    private struct Crowd: CustomTestStringConvertible, Sendable {
        /// What has been before.
        var before: [PhoneAct] = []
        let acts: [PhoneAct]

        var testDescription: String { "\(before) | \(acts)" }
    }

    private static let crowds = [
        Crowd(acts: [.put("A", "d", "aa"), .put("B", "d", "bb")]),
        Crowd(acts: [.put("A", "d", "aa"), .put("B", "d", "bb"), .put("C", "e", "bb")]),
        Crowd(acts: [.put("A", "d", "aa"), .put("B", "d", "bb"), .put("C", "d", "aa")]),
        Crowd(acts: [.put("A", "d", "aa"), .put("B", "d", "bb"), .put("C", "e", "bb"), .put("D", "d", "aa")]),
        Crowd(acts: [.put("A", "d", "aa"), .put("B", "d", "bb"), .logIn("C", "bb"), .put("D", "d", "aa")]),
        Crowd(acts: [.put("A", "d", "aa"), .put("B", "d", "bb"), .put("C", "d", "bb"), .put("D", "d", "aa")]),
        Crowd(
            before: [.put("D", "e", "bb"), .die("bb"), .end("D")],
            acts: [.put("A", "d", "aa"), .put("B", "d", "bb"), .put("C", "d", "bb")]
        ),
        Crowd(
            before: [.put("D", "e", "bb"), .remove("D", "e")],
            acts: [.put("A", "d", "aa"), .put("B", "d", "bb"), .put("C", "e", "bb")]
        ),
        // Whose account goes had been alone there.
        Crowd(before: [.put("A", "d", "aa")], acts: [.depart("A"), .put("B", "d", "aa")]),
        Crowd(before: [.put("A", "d", "aa")], acts: [.depart("A"), .logIn("B", "aa")]),
        Crowd(before: [.put("A", "d", "aa")], acts: [.depart("A"), .put("B", "e", "aa"), .logIn("C", "aa")]),
        Crowd(
            before: [.put("A", "d", "aa"), .put("B", "d", "aa")],
            acts: [.depart("A"), .depart("B"), .put("C", "d", "aa")]
        ),
        Crowd(
            before: [.put("A", "d", "aa")],
            acts: [.depart("A"), .put("B", "d", "aa"), .put("C", "d", "bb")]
        ),
    ]

    @Test(arguments: crowds.indices) func nobodyWhoIsLetInIsLeftOut(index: Int) async throws {
        let crowd = Self.crowds[index]
        try await RegistryStore.withStore { store in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for worker in 0..<Self.workers {
                    group.addTask {
                        let client = try store.pool.pop()
                        defer { store.pool.push(client) }
                        let users = UserDevices(client: client, database: store.database)
                        let phones = SharedPhones(users: users, links: users.links, store: store, client: client)
                        var generator = SplitMix(state: UInt64(index * Self.workers + worker))
                        for round in 0..<Self.rounds {
                            try Self.check(crowd, "-\(worker)-\(round)", phones, &generator)
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    private static let workers = 4
    private static let rounds = 6

    private static func check(
        _ crowd: Crowd,
        _ suffix: String,
        _ phones: SharedPhones,
        _ generator: inout SplitMix
    ) throws {
        for (number, act) in crowd.before.enumerated() {
            _ = try phones.act(act.named(suffix), at: now - 10 + Int64(number))
        }
        let acts = crowd.acts.map { $0.named(suffix) }
        let steps = try acts.map { act in
            try phones.steps(act, at: now + Int64.random(in: 0...3, using: &generator), grain: .fine)
        }
        var (left, trail): ([Int], [Int]) = (Array(steps.indices), [])
        while let any = left.randomElement(using: &generator) {
            // Mostly who was there last goes on: long stretches find more than a fair turn does.
            let last = trail.last.flatMap { left.contains($0) ? $0 : nil }
            let next = last.map { Bool.random(using: &generator) ? $0 : any } ?? any
            try steps[next].next()
            trail.append(next)
            if steps[next].answer != nil { left.removeAll { $0 == next } }
        }
        let shown = "\(acts) \(trail.map { "\($0)" }.joined())"
        var tokens: [String: Set<String>] = [:]
        for (act, step) in zip(acts, steps) {
            let user = try #require(act.user)
            let told = try phones.told([user]).told[user] ?? []
            #expect(told == (step.answer == true ? act.tokens : []), "\(shown): \(act)")
            guard case .put(_, let device, let token) = act, step.answer == true else { continue }
            tokens[device, default: []].insert(token)
        }
        #expect(tokens.values.allSatisfy { $0.count == 1 }, "\(shown): \(tokens)")
        // And once more, as apps do at each start.
        for (act, step) in zip(acts, steps) where step.answer == true {
            let user = try #require(act.user)
            #expect(try phones.act(act, at: now + 10), "\(shown): \(act) again")
            #expect(try phones.told([user]).told[user] ?? [] == act.tokens, "\(shown): \(act) again")
        }
    }
}
