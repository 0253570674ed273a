import Testing
import WaybillMongo

@testable import WaybillAccounts

@Suite struct PasswordTriesTests {
    private let now = AccountRig.now
    private let day: Int64 = 86_400_000

    private func guesses(_ count: Int, from places: [String], in tries: PasswordTries = PasswordTries())
        -> PasswordTries
    {
        var tries = tries
        for number in 0..<count { tries.count(places[number % places.count], now: now) }
        return tries
    }

    private func known(_ places: String...) -> PasswordTries {
        var tries = PasswordTries()
        for place in places { tries.settle(place, now: now) }
        return tries
    }

    @Test(arguments: [(4, 0), (5, 1), (6, 2), (13, 256), (20, 900)])
    func onePlaceWaitsAlone(count: Int, seconds: Int64) {
        let tries = guesses(count, from: ["one"])
        #expect((tries.opensAt("one", now: now) ?? now) - now == seconds * 1000)
        #expect(tries.opensAt("other", now: now) == nil)
    }

    /// Whoever guesses from many places has one pace together, which the owner's places do not feel.
    @Test(arguments: [(49, 0), (50, 1), (51, 2), (60, 300), (5000, 300)])
    func manyPlacesWaitTogether(count: Int, seconds: Int64) {
        let tries = guesses(count, from: (0..<1000).map { "place\($0)" }, in: known("home"))
        #expect((tries.opensAt("new", now: now) ?? now) - now == seconds * 1000)
        #expect(tries.opensAt("home", now: now) == nil)
        #expect(tries.opensAt(PasswordTries.holder, now: now) == nil)
    }

    @Test func aKnownPlaceHasAPaceToo() {
        let tries = guesses(8, from: ["home"], in: known("home"))
        #expect(tries.opensAt("home", now: now) == now + 8000)
        #expect(tries.failures == 0)
    }

    /// What an operator is told, whose question is why somebody cannot log in.
    @Test func whatIsWrongIsToldOfEachKindOfPlace() {
        var tries = guesses(12, from: ["home"], in: known("home"))
        #expect(tries.failures == 0)
        #expect(
            tries.wrong(now: now)
                == WrongPasswords(
                    count: 12,
                    nextTryAt: nil,
                    places: [.init(kind: .known, count: 12, triedAt: now, nextTryAt: now + 128_000)]
                )
        )
        tries.count(PasswordTries.holder, now: now + 1)
        tries.count("elsewhere", now: now + 2)
        let wrong = tries.wrong(now: now + 200_000)
        #expect(wrong.count == 14 && wrong.places.map(\.kind) == [.new, .session, .known])
        #expect(wrong.places.map(\.count) == [1, 1, 12] && wrong.places.allSatisfy { $0.nextTryAt == nil })
        // After a day nothing counts; a right password ends what was wrong there.
        #expect(tries.wrong(now: now + day + 3) == WrongPasswords(count: 0, nextTryAt: nil, places: []))
        tries.settle("home", now: now + 3)
        #expect(tries.wrong(now: now + 3).count == 2)
    }

    @Test func whatCameFromManyPlacesCountsThoughTheyAreForgotten() {
        let tries = guesses(60, from: (0..<60).map { "place\($0)" }, in: known("home"))
        let wrong = tries.wrong(now: now)
        #expect(wrong.count == 60 && wrong.places.count == PasswordTries.most)
        #expect(wrong.nextTryAt == now + 300_000)
    }

    @Test func aPlaceIsKnownForNinetyDays() {
        let tries = guesses(60, from: (0..<60).map { "place\($0)" }, in: known("home"))
        #expect(tries.knows("home", now: now + 90 * day))
        #expect(!tries.knows("home", now: now + 90 * day + 1))
        #expect(!tries.knows("new", now: now))
    }

    @Test func aRightPasswordForgets() {
        var tries = guesses(60, from: ["one", "two"])
        tries.settle("one", now: now)
        #expect(tries.failures == 0)
        #expect(tries.opensAt("one", now: now) == nil)
        // Another place's failures are not the owner's.
        #expect(tries.opensAt("two", now: now) == now + 900_000)
    }

    /// The owner's log-in from home gives those who guess elsewhere no new start.
    @Test func aRightPasswordFromHomeForgetsNothingOfOthers() {
        var tries = guesses(60, from: (0..<60).map { "place\($0)" }, in: known("home"))
        tries.settle("home", now: now)
        #expect(tries.opensAt("new", now: now) == now + 300_000)
    }

    @Test func aQuietDayForgets() {
        var tries = guesses(60, from: ["one"])
        tries.count("one", now: now + 2 * day)
        #expect(tries.failures == 1)
        #expect(tries.opensAt("one", now: now + 2 * day) == nil)
    }

    @Test func whoGuessesPushesNobodyOut() {
        let homes = (0..<PasswordTries.most).map { "home\($0)" }
        var tries = PasswordTries()
        for home in homes { tries.settle(home, now: now) }
        tries = guesses(200, from: (0..<200).map { "place\($0)" }, in: tries)
        #expect(homes.allSatisfy { tries.knows($0, now: now) })
        #expect(tries.places.count == 2 * PasswordTries.most)
        tries.settle("new", now: now)
        #expect(!tries.knows("home0", now: now))
    }

    @Test func theStoreHasAllOfIt() {
        var tries = guesses(60, from: ["one", "two"], in: known("home"))
        #expect(PasswordTries(document(tries)) == tries)
        tries.settle("one", now: now)
        #expect(PasswordTries(document(tries)) == tries)
        #expect(PasswordTries(BSONDocument { _ in }) == PasswordTries())
    }

    private func document(_ tries: PasswordTries) -> BSONDocument {
        tries.update()["$set"]?.document ?? BSONDocument { _ in }
    }
}
