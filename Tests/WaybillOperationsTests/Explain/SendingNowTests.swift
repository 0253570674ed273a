import Testing
import WaybillCore
import WaybillEncoding
import WaybillFleet
import WaybillMongo

@testable import WaybillOperations

struct SendingNowTests {
    private static let now: Int64 = 1_700_000_000_000

    private static func lease(
        _ status: String = "{}",
        process: Int32 = 1,
        role: String = "dispatch",
        seenAgo: Int64 = 2,
        isEnded: Bool = false
    ) -> Lease {
        Lease(
            role: role,
            host: "push-1",
            process: process,
            version: "1.2.3",
            started: now - 3_600_000,
            seen: now - seenAgo * 1000,
            isEnded: isEnded,
            status: Array(status.utf8)
        )
    }

    private static func lane(_ state: String, _ cause: String) -> String {
        #"{"ready":true,"lanes":[{"name":"parcels","state":"\#(state)","cause":"\#(cause)","since":"2023-11-14T22:00:00.000Z"}]}"#
    }

    private static let stopping = """
        {"ready":false,"stopping":true,"in_flight":{"messages":1,"unstarted":0},
        "checks":[{"name":"consuming","ok":false,"cause":"nothing heard of it for 9 s"}],
        "taken_up_to":{"waybill.dispatch":"2023-11-14T22:00:00.000Z"}}
        """

    private func obstacles(
        _ leases: [Lease],
        _ orders: StandingOrders = StandingOrders(),
        lanes: Set<String>? = nil
    ) -> [Obstacle] {
        SendingNow(leases: .success(leases), orders: .success(orders), now: Self.now).obstacles(lanes: lanes)
    }

    @Test(
        arguments: [
            ([], ["No dispatcher runs. What"]),
            ([lease(role: "prune")], ["No dispatcher runs. What"]),
            ([lease()], []), ([lease(seenAgo: 4)], []),
            (
                [lease(seenAgo: 6)],
                [
                    "dispatch on push-1 (1) was last heard from at 2023-11-14T22:13:14.000Z, and should have been since: whether it is there shows by 2023-11-14T22:13:22.000Z."
                ]
            ),
            (
                [lease(seenAgo: 60, isEnded: true)],
                ["No dispatcher runs: dispatch on push-1 (1), the last one, ended at 2023-11-14T22:12:20.000Z."]
            ),
            (
                [lease(seenAgo: 60)],
                [
                    "dispatch on push-1 (1) has said nothing since 2023-11-14T22:12:20.000Z: it hangs, was killed, or cannot reach the store. What is published waits in the broker until a dispatcher works."
                ]
            ),
            (
                [lease(stopping, seenAgo: 2)],
                [
                    "dispatch on push-1 (1) is stopping (told to end, as by SIGTERM): it takes no new messages and finishes 1 that it has in hand. No other dispatcher runs: what is published now waits in the broker until another one works."
                ]
            ),
            ([lease(stopping), lease(process: 2)], []),
            (
                [lease(stopping), lease(process: 2, seenAgo: 60)],
                [
                    "dispatch on push-1 (2) has said nothing since 2023-11-14T22:12:20.000Z: it hangs, was killed, or cannot reach the store.",
                    "dispatch on push-1 (1) is stopping (told to end, as by SIGTERM): it takes no new messages and finishes 1 that it has in hand. What is published now",
                ]
            ),
            (
                [
                    lease(
                        #"{"ready":false,"checks":[{"name":"store","ok":false,"cause":"no primary","since":"2023-11-14T22:00:00.000Z"}]}"#
                    )
                ],
                ["dispatch on push-1 (1) cannot use the store since 2023-11-14T22:00:00.000Z: no primary."]
            ),
            // The outage began when the first of all processes noticed it, as waybill status says, too.
            (
                [
                    lease(
                        #"{"ready":false,"checks":[{"name":"store","ok":false,"cause":"no primary","since":"2023-11-14T22:00:40.000Z"}]}"#
                    ),
                    lease(
                        #"{"ready":false,"checks":[{"name":"store","ok":false,"cause":"no primary","since":"2023-11-14T22:00:20.000Z"}]}"#,
                        role: "prune"
                    ),
                ],
                ["dispatch on push-1 (1) cannot use the store since 2023-11-14T22:00:20.000Z: no primary."]
            ),
            ([lease(lane("open", ""))], []),
            (
                [lease(lane("parked", "unreachable"))],
                ["The lane parcels is parked since 2023-11-14T22:00:00.000Z for unreachable: its messages wait"]
            ),
            (
                [lease(lane("parked", "unreachable")), lease(lane("open", ""), process: 2)],
                ["The lane parcels is parked in 1 of 2 dispatchers since 2023-11-14T22:00:00.000Z for unreachable"]
            ),
        ] as [([Lease], [String])]
    )
    func whatKeepsFromSendingIsSaid(leases: [Lease], beginnings: [String]) {
        let found = obstacles(leases).map(\.text)
        #expect(found.count == beginnings.count)
        for (sentence, beginning) in zip(found, beginnings) { #expect(sentence.hasPrefix(beginning)) }
    }

    /// The order holds from the moment at which it is written, whatever the dispatchers say by then.
    @Test func anOrderIsToldOnceWithWhoGaveIt() {
        let source = OrderSource(name: "anna@push-1", date: Self.now - 60_000, note: "new certificate")
        var orders = StandingOrders()
        orders.add(LaneOrder(lane: "parcels", state: .paused, source: source))
        orders.add(LaneOrder(lane: "news", state: .open, source: source))
        let leases = [Self.lease(Self.lane("open", "")), Self.lease(Self.lane("paused", "by anna"), process: 2)]
        let found = obstacles(leases, orders)
        let words =
            "The lane parcels is paused by anna@push-1 since 2023-11-14T22:12:20.000Z (new certificate): its messages"
        #expect(found.count == 1)
        #expect(found.first?.text.hasPrefix(words) == true)
        #expect(found.first?.remedy?.contains("by anna@push-1 (new certificate)") == true)
        #expect(found.first?.remedy?.hasSuffix("`waybill lanes resume parcels`.") == true)
        #expect(obstacles(leases, orders, lanes: ["news"]).isEmpty)
    }

    /// An order outlives its lane; without a dispatcher nobody knows which lanes there are.
    @Test func anOrderForALaneThatNobodyHasIsNotTold() {
        var orders = StandingOrders()
        orders.add(LaneOrder(lane: "old", state: .paused, source: OrderSource(name: "anna@push-1", date: Self.now)))
        #expect(obstacles([Self.lease(Self.lane("open", ""))], orders).isEmpty)
        #expect(obstacles([], orders).map(\.lane) == [nil, "old"])
    }

    @Test(arguments: [(899, true), (901, false)])
    func whatWaitedForALaneIsBackAQuarterOfAnHourAfterItWasResumed(seconds: Int64, isTold: Bool) {
        var orders = StandingOrders()
        let source = OrderSource(name: "anna@push-1", date: Self.now - seconds * 1000)
        orders.add(LaneOrder(lane: "parcels", state: .open, source: source))
        let found = obstacles([Self.lease(Self.lane("open", ""))], orders, lanes: ["parcels"])
        #expect(found.count == (isTold ? 1 : 0))
        // Where nobody knows that anything waited for it, it is nobody's business.
        #expect(obstacles([Self.lease(Self.lane("open", ""))], orders).isEmpty)
        #expect(found.allSatisfy { $0.text.contains("comes back by 2023-11-14T22:13:21.000Z") && $0.remedy == nil })
    }

    /// As a dispatcher writes it.
    private static func trouble(_ kind: String, _ text: String, _ lane: String?) -> String {
        let lane = lane.map { #","lane":"\#($0)""# } ?? ""
        return #"{"kind":"\#(kind)","text":"\#(text)"\#(lane),"advice":"Look at the network."}"#
    }

    @Test(
        arguments: [
            ("push_service_silent", "parcels", nil, "parcels"), ("push_service_unreached", "parcels", nil, "parcels"),
            ("push_service_silent", "parcels", "news", nil), ("standstill", nil, "news", ""),
            ("dead_tokens", "parcels", nil, nil), ("of_tomorrow", "parcels", nil, nil),
        ] as [(String, String?, String?, String?)]
    )
    func aTroubleThatKeepsFromSendingIsTold(kind: String, about: String?, asked: String?, lane: String?) {
        let text = "it is so"
        let status = #"{"ready":true,"troubles":[\#(Self.trouble(kind, text, about))]}"#
        let found = obstacles([Self.lease(status)], lanes: asked.map { [$0] })
        #expect(found.map { $0.lane ?? "" } == (lane.map { [$0] } ?? []))
        #expect(found.allSatisfy { $0.text.hasPrefix("dispatch on push-1 (1)") && $0.text.hasSuffix(" \(text).") })
        #expect(found.allSatisfy { $0.remedy != nil })
    }

    /// That nothing is finished is told where nothing else tells why: not of other lanes' notifications, and nothing twice.
    @Test(
        arguments: [
            (["push_service_silent"], nil, "parcels", []),
            (["push_service_silent"], nil, "news", ["news"]),
            (["push_service_silent"], nil, nil, ["news"]),
            (["dead_tokens"], nil, "parcels", [""]),
            ([], "no primary", "parcels", [""]),
            ([], nil, "parcels", [""]),
        ] as [([String], String?, String?, [String])]
    )
    func whatIsNotFinishedIsToldWithItsCause(others: [String], store: String?, asked: String?, lanes: [String]) {
        let troubles =
            others.map { Self.trouble($0, "lane news: it is so", "news") }
            + [Self.trouble("standstill", "holds 3 messages and has finished nothing for 9 s", nil)]
        let check = store.map { #"{"name":"store","ok":false,"cause":"\#($0)"}"# } ?? ""
        let status = #"{"ready":true,"checks":[\#(check)],"troubles":[\#(troubles.joined(separator: ","))]}"#
        let found = obstacles([Self.lease(status)], lanes: asked.map { [$0] })
        #expect(found.map { $0.lane ?? "" } == lanes, "\(found)")
        let isUnexplained = store == nil && lanes == [""]
        #expect(found.contains { $0.text.contains("has finished nothing") } == isUnexplained)
        #expect(!isUnexplained || found.first?.remedy?.contains("dispatch on push-1 (1)") == true)
    }

    /// What is sent and not answered has no record: its lane tells, and since when nothing is answered.
    @Test func whatIsNotAnsweredIsToldByItsLane() {
        let lanes = #"[{"name":"news","state":"open","streams":0},{"name":"parcels","state":"open","streams":2}]"#
        let since = "2023-11-14T22:12:00.000Z"
        let silent =
            #"{"kind":"push_service_silent","text":"lane parcels: it is silent","lane":"parcels","since":"\#(since)"}"#
        func sending(_ troubles: String...) -> SendingNow {
            let leases = troubles.enumerated().map {
                Self.lease(#"{"ready":true,"lanes":\#(lanes),"troubles":[\#($1)]}"#, process: Int32($0))
            }
            return SendingNow(leases: .success(leases), orders: .success(StandingOrders()), now: Self.now)
        }
        #expect(
            sending("").unanswered() == [
                "On the lane parcels 2 pushes are sent, and the push service has not answered yet."
            ]
        )
        let told = sending("", silent)
        #expect(
            told.unanswered() == [
                "On the lane parcels 4 pushes are sent, and the push service has not answered yet; it has answered none since \(since)."
            ]
        )
        #expect(told.unanswered(lanes: ["news"]).isEmpty && told.unanswered(except: ["parcels"]).isEmpty)
        #expect(told.obstacles(lanes: ["parcels"]).map(\.text).allSatisfy { $0.hasSuffix(" (since \(since)).") })
        #expect(told.obstacles(lanes: ["news"]).isEmpty)
    }

    /// What is published while the only dispatcher stops is not in its hands.
    @Test func whatIsPublishedWhileTheOnlyDispatcherStopsWaitsInTheBroker() {
        let sending = { (leases: [Lease]) in
            SendingNow(leases: .success(leases), orders: .success(StandingOrders()), now: Self.now)
        }
        #expect(
            sending([Self.lease(Self.stopping)]).underWay(.all)
                == ["The dispatcher has 1 message in hand: it may be among them, or wait in the broker."]
        )
        let remedies = obstacles([Self.lease(Self.stopping)]).compactMap(\.remedy)
        #expect(remedies.count == 1 && remedies.first?.hasPrefix("Start another dispatcher") == true)
        // A dispatcher that hangs gets one advice, and is not replaced by the way.
        let hung = obstacles([Self.lease(seenAgo: 60)]).compactMap(\.remedy)
        #expect(hung.count == 1 && hung.first?.contains("Then start another one") == true)
    }

    /// A lane is open where all who have it send on it, and no order says otherwise.
    @Test(
        arguments: [
            (["open"], nil, true), (["open", "open"], nil, true), (["open", "parked"], nil, false), ([], nil, false),
            (["open"], .paused, false), (["open"], .open, true),
        ] as [([String], LaneOrder.State?, Bool)]
    )
    func aLaneIsOpenWhereAllSendOnIt(states: [String], order: LaneOrder.State?, isOpen: Bool) {
        var orders = StandingOrders()
        if let order {
            let source = OrderSource(name: "anna@push-1", date: Self.now)
            orders.add(LaneOrder(lane: "parcels", state: order, source: source))
        }
        let leases = states.enumerated().map { Self.lease(Self.lane($1, ""), process: Int32($0)) }
        let sending = SendingNow(leases: .success(leases), orders: .success(orders), now: Self.now)
        #expect(sending.openLanes == (isOpen ? ["parcels"] : []))
    }

    @Test func whatEndsAnObstacleIsSaid() {
        let parked =
            #"{"ready":true,"lanes":[{"name":"parcels","state":"parked","advice":"Look at the network."}]}"#
        #expect(obstacles([]).first?.remedy?.contains("`waybill dispatch`") == true)
        #expect(obstacles([Self.lease(parked)]).map(\.remedy) == ["The lane parcels: Look at the network."])
    }

    @Test func whatIsInHandIsToldOfAllDispatchersTogether() {
        let first =
            #"{"ready":true,"in_flight":{"messages":3,"unstarted":4},"taken_up_to":{"waybill.dispatch":"2023-11-14T22:00:00.000Z"}}"#
        let second =
            #"{"ready":true,"in_flight":{"messages":2,"unstarted":1},"taken_up_to":{"waybill.dispatch":"2023-11-14T22:05:00.000Z"}}"#
        let leases = [Self.lease(first), Self.lease(second, process: 2)]
        let now = SendingNow(leases: .success(leases), orders: .success(StandingOrders()), now: Self.now)
        #expect(
            now.underWay(.more) == [
                "The 2 dispatchers have 5 messages in hand, and 5 more that wait for their turn: more of it may be among them.",
                "What was published to waybill.dispatch after 2023-11-14T22:05:00.000Z may wait behind them.",
            ]
        )
        let idle =
            #"{"ready":true,"in_flight":{"messages":0,"unstarted":0},"taken_up_to":{"waybill.dispatch":"2023-11-14T22:00:00.000Z"}}"#
        let done = SendingNow(leases: .success([Self.lease(idle)]), orders: .success(StandingOrders()), now: Self.now)
        #expect(done.underWay(.all).isEmpty)
    }

    /// A lane that was refused before is found so by the first push after a restart.
    @Test func sinceWhenALaneIsParkedIsNotKnownAcrossARestart() {
        // The process began at 21:13:20.
        let parked = { (since: String) in
            #"{"ready":true,"lanes":[{"name":"parcels","state":"parked","since":"\#(since)"}]}"#
        }
        let early = obstacles([Self.lease(parked("2023-11-14T21:13:25.000Z"))]).first?.text
        #expect(early?.hasPrefix("The lane parcels is parked since at least 2023-11-14T21:13:25.000Z") == true)
        let late = obstacles([Self.lease(parked("2023-11-14T21:14:25.000Z"))]).first?.text
        #expect(late?.hasPrefix("The lane parcels is parked since 2023-11-14T21:14:25.000Z") == true)
    }

    /// Whoever has a key for some clients learns of their lanes, and of nobody's orders, hosts and messages.
    @Test(
        arguments: [
            ([], nil, ["No dispatcher runs: what is published waits"]),
            ([lease(seenAgo: 60)], nil, ["No dispatcher has said anything lately: what is published waits"]),
            ([lease(#"{"ready":false}"#)], nil, ["No dispatcher can work at this moment"]),
            ([lease(lane("open", ""))], nil, []),
            (
                [lease(lane("parked", "connect to 10.0.0.1"))], nil,
                ["The lane parcels is parked since 2023-11-14T22:00:00.000Z: its messages wait"]
            ),
            (
                [lease(lane("open", ""))], LaneOrder.State.paused,
                ["The lane parcels is paused since 2023-11-14T22:12:20.000Z"]
            ),
            ([lease(lane("open", ""))], .open, ["The lane parcels was resumed: what waited for it comes back by"]),
            (
                [
                    lease(
                        #"{"ready":true,"troubles":[\#(trouble("push_service_silent", "no answer", "parcels"))]}"#
                    )
                ],
                nil, ["The push service does not answer, or is not reached, on the lane parcels."]
            ),
        ] as [([Lease], LaneOrder.State?, [String])]
    )
    func aClientLearnsOfItsOwnLanes(leases: [Lease], ordered: LaneOrder.State?, beginnings: [String]) {
        var orders = StandingOrders()
        if let ordered {
            let source = OrderSource(name: "anna@push-1", date: Self.now - 60_000, note: "new certificate")
            orders.add(LaneOrder(lane: "parcels", state: ordered, source: source))
        }
        let sending = SendingNow(leases: .success(leases), orders: .success(orders), now: Self.now)
        let found = sending.obstaclesForClients(lanes: ["parcels"])
        #expect(found.count == beginnings.count)
        for (obstacle, beginning) in zip(found, beginnings) { #expect(obstacle.text.hasPrefix(beginning)) }
        let words = found.flatMap { [$0.text, $0.remedy ?? ""] }.joined(separator: " ")
        for secret in ["anna", "push-1", "certificate", "10.0.0.1", "`"] { #expect(!words.contains(secret)) }
        let others = sending.obstaclesForClients(lanes: ["news"])
        #expect(others.allSatisfy { !$0.text.contains("parcels") })
    }

    /// A dispatcher sends on the lane parcels, which was resumed a minute ago.
    private static var withResumedParcels: SendingNow { withResumedParcels(delayed: nil) }

    private static func withResumedParcels(delayed: Int?) -> SendingNow {
        var orders = StandingOrders()
        let source = OrderSource(name: "anna@push-1", date: now - 60_000, note: nil)
        orders.add(LaneOrder(lane: "parcels", state: .open, source: source))
        let leases = [lease(lane("open", ""))]
        return SendingNow(leases: .success(leases), orders: .success(orders), delayed: delayed, now: now)
    }

    /// Where the delay queues are known to be empty, nothing comes back.
    @Test(arguments: [(nil, true), (1, true), (0, false)] as [(Int?, Bool)])
    func thatALaneWasResumedIsNotToldOfWhereNothingIsDelayed(delayed: Int?, isTold: Bool) {
        let sending = Self.withResumedParcels(delayed: delayed)
        #expect(sending.obstacles(isUnrecorded: true).isEmpty != isTold)
        #expect(sending.obstaclesForClients(lanes: ["parcels"]).isEmpty != isTold)
    }

    /// What waited whole for a lane left no record, and comes back later than the lane.
    @Test func thatALaneWasResumedIsToldOfWhatHasNoRecord() {
        let sending = Self.withResumedParcels
        #expect(sending.obstacles(isUnrecorded: true).first?.text.contains("parcels was resumed by anna") == true)
        #expect(sending.obstacles().isEmpty && sending.obstacles(lanes: ["news"], isUnrecorded: true).isEmpty)
    }

    /// What was published after a lane was resumed has not waited for it.
    @Test(
        arguments: [
            (-61_000, true), (-59_000, false), (PublishedTimes.never - now, false), (nil, true),
        ] as [(Int64?, Bool)]
    )
    func whatCameLaterHasNotWaitedForALane(published: Int64?, isTold: Bool) {
        let sending = Self.withResumedParcels
        let time = published.map { Self.now + $0 }
        let times = [PublishedTimes(unrecorded: time), PublishedTimes(lanes: time.map { ["parcels": $0] } ?? [:])]
        for times in times {
            #expect(sending.obstacles(lanes: ["parcels"], published: times).isEmpty != isTold)
            #expect(sending.obstacles(isUnrecorded: true, published: times).isEmpty != isTold)
            #expect(sending.obstaclesForClients(lanes: ["parcels"], published: times).isEmpty != isTold)
        }
        // What a cancellation covers is not sent when it comes back.
        let cancelled = PublishedTimes(unrecorded: Self.now - 61_000).published(after: Self.now - 1000)
        #expect(sending.obstacles(isUnrecorded: true, published: cancelled).isEmpty)
    }

    /// One that was stopped may have got a message after its last word.
    @Test func aSilentDispatcherMayHoldWhatCameAfterItsLastWord() {
        let found = obstacles([Self.lease(seenAgo: 20)])
        #expect(
            found.first?.text.hasSuffix(
                "What is asked for may be in its hands, if it came after that. Whatever else is published waits in the broker until a dispatcher works."
            ) == true
        )
        #expect(found.first?.remedy?.contains("kill -KILL 1") == true)
    }

    private static let holding =
        #"{"ready":true,"queues":["waybill.dispatch"],"in_flight":{"messages":3,"unstarted":0}}"#
    private static let idle =
        #"{"ready":true,"queues":["waybill.dispatch"],"in_flight":{"messages":0,"unstarted":0}}"#

    /// A dispatcher that was killed holds nothing of what was published after its last word; one that was stopped may, and the
    /// broker counts its consumer.
    @Test(
        arguments: [
            // Published how many seconds ago, consumers, whether another one works: what is told of it, and where.
            (30, nil, true, "it had 3 messages in hand, and may hold them still.", true),
            (30, 1, true, "cannot reach the store.", false), (30, 2, true, "and may hold them still.", true),
            (10, nil, true, nil, false), (10, 1, true, nil, false),
            (10, 2, true, "the broker counts a consumer of it still.", true),
            (10, nil, false, "store. What is published waits in the broker until a dispatcher works.", true),
            (10, 0, false, "store. What is published waits in the broker until a dispatcher works.", true),
            (nil, nil, true, "and may hold them still.", true),
        ] as [(Int64?, Int?, Bool, String?, Bool)]
    )
    func whoCannotHoldAPushIsNoSuspect(
        publishedAgo: Int64?,
        consumers: Int?,
        isServed: Bool,
        end: String?,
        isFirst: Bool
    ) {
        let killed = Self.lease(Self.holding, seenAgo: 20)
        var orders = StandingOrders()
        let source = OrderSource(name: "anna@push-1", date: Self.now - 60_000)
        orders.add(LaneOrder(lane: "parcels", state: .paused, source: source))
        let sending = SendingNow(
            leases: .success([killed] + (isServed ? [Self.lease(Self.idle, process: 2)] : [])),
            orders: .success(orders),
            queues: consumers.map { [FleetHealth.Queue(name: "waybill.dispatch", messages: 0, consumers: $0)] },
            now: Self.now
        )
        let published = PublishedTimes(unrecorded: publishedAgo.map { Self.now - $0 * 1000 })
        let found = sending.obstacles(isUnrecorded: true, published: published).map(\.text)
        #expect(found.count == (end == nil ? 1 : 2), "\(found)")
        let place = found.firstIndex { $0.contains("dispatch on push-1 (1)") }
        #expect(place == end.map { _ in isFirst ? 0 : 1 }, "\(found)")
        if let place, let end { #expect(found[place].hasSuffix(end), "\(found)") }
    }

    /// What it counted by its last word is not what came later.
    @Test func whoIsLateHasNothingInHandOfWhatCameAfterItsLastWord() {
        func underWay(seenAgo: Int64, publishedAgo: Int64?) -> Bool {
            let leases = [Self.lease(Self.holding, seenAgo: seenAgo)]
            let sending = SendingNow(leases: .success(leases), orders: .success(StandingOrders()), now: Self.now)
            return !sending.underWay(.all, published: publishedAgo.map { Self.now - $0 * 1000 }).isEmpty
        }
        #expect(underWay(seenAgo: 6, publishedAgo: 7) && underWay(seenAgo: 6, publishedAgo: nil))
        #expect(!underWay(seenAgo: 6, publishedAgo: 1))
        // One that says its word in time may have taken it meanwhile.
        #expect(underWay(seenAgo: 2, publishedAgo: 1))
    }

    /// Of what has a record there is one time, that of the record.
    @Test func whatWaitedForALaneComesBackWhenItsRecordsSay() throws {
        let sending = Self.withResumedParcels
        for (end, isTold) in [(Self.now + 30_000, true), (Self.now - 1000, false)] {
            let told = sending.obstacles(lanes: ["parcels"], ends: ["parcels": end]).first?.text
            #expect(told?.hasSuffix("and comes back by \(TimeText.text(milliseconds: end)).") ?? false == isTold)
            #expect(told?.contains("if anything") != true)
            let toClients = sending.obstaclesForClients(lanes: ["parcels"], ends: ["parcels": end]).first?.text
            #expect(toClients?.hasSuffix("comes back by \(TimeText.text(milliseconds: end)).") ?? false == isTold)
        }
    }

    /// As `waybill status` does.
    @Test func whatHelpsAgainstSeveralObstaclesIsSaidOnce() {
        let checks =
            #"{"ready":false,"checks":[{"name":"consuming","ok":false,"cause":"no route"},{"name":"confirms","ok":false,"cause":"nothing heard of it for 9 s"}]}"#
        let found = obstacles([Self.lease(checks), Self.lease(checks, process: 2)])
        #expect(found.count == 2)
        #expect(found.remedies.count == 1 && found.remedies.first?.hasPrefix("Look at RabbitMQ") == true)
    }

    /// Whether a process says so or the broker does, what makes the queue is said once.
    @Test(arguments: [[], ["waybill.audience"], ["waybill.retry", "waybill.audience"]])
    func aMissingQueueIsToldWithWhatMakesIt(missing: [String]) {
        let checks =
            #"{"ready":false,"checks":[{"name":"consuming","ok":false,"cause":"queue.declare waybill.retry: NOT_FOUND - no queue 'waybill.retry' in vhost '/' (404)"}]}"#
        let sending = SendingNow(
            leases: .success([Self.lease(checks)]),
            orders: .success(StandingOrders()),
            missing: missing,
            now: Self.now
        )
        let found = sending.obstacles()
        let words =
            missing.isEmpty
            ? []
            : missing.count == 1
                ? ["The queue waybill.audience is missing."] : ["Queues are missing: waybill.retry, waybill.audience."]
        #expect(
            found.map(\.text) == words + [
                "dispatch on push-1 (1) takes no messages: the queue waybill.retry is missing."
            ]
        )
        #expect(found.remedies == [FindingAdvice.queues])
        // Who needs it may say nothing of it.
        let alone = SendingNow(
            leases: .success([Self.lease(Self.idle)]),
            orders: .success(StandingOrders()),
            missing: missing,
            now: Self.now
        )
        #expect(alone.obstacles(lanes: ["parcels"]).map(\.text) == words)
    }

    /// One that was stopped goes on being handed what is published, also where it had nothing in hand and has a successor.
    @Test(
        arguments: [
            (2, 5, "the broker counts a consumer of it still."),
            (2, 15, "if it came after that; the broker counts a consumer of it still."), (1, 5, nil),
        ] as [(Int, Int64, String?)]
    )
    func whatAStoppedOneMayHaveGotIsTold(consumers: Int, publishedAgo: Int64, end: String?) {
        let stopped = Self.lease(Self.idle, seenAgo: 12)
        var successor = Lease.sample(Self.idle, started: Self.now - 11_000, seen: Self.now - 1000)
        successor.status = Array(
            #"{"ready":true,"queues":["waybill.dispatch"],"consumers":{"waybill.dispatch":1}}"#.utf8
        )
        let sending = SendingNow(
            leases: .success([stopped, successor]),
            orders: .success(StandingOrders()),
            queues: [FleetHealth.Queue(name: "waybill.dispatch", messages: 0, consumers: consumers)],
            now: Self.now
        )
        let published = PublishedTimes(unrecorded: Self.now - publishedAgo * 1000)
        let found = sending.obstacles(isUnrecorded: true, published: published)
        #expect(found.count == (end == nil ? 0 : 1), "\(found)")
        guard let end, let first = found.first else { return }
        #expect(first.text.hasSuffix(end), "\(first)")
        #expect(first.remedy?.contains("kill -KILL 1 there") == true)
    }

    /// Where a right is missing, nothing is not what is there.
    @Test func whatIsNotReadableIsSaid() {
        let refused = MongoError(code: .accessRefused, operation: "find", reason: "not authorized")
        let now = SendingNow(leases: .failure(refused), orders: .failure(refused), now: Self.now)
        #expect(now.obstacles().map { $0.text.contains("is not readable") } == [true, true])
        #expect(now.obstacles().first?.text.contains("find on processes") == true)
        #expect(now.underWay(.all).isEmpty)
        #expect(now.cancellations(of: "b").isEmpty)
    }
}
