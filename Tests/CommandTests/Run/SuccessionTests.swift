import Testing

@testable import waybill

/// Who works when SIGHUP comes: what happens, and what is to be done then.
struct SuccessionTests {
    private enum Event {
        case reload
        case consumes(Int)
        case late(Int)
        case ended(Int)
        case stop
    }

    private static func actions(_ events: [Event]) -> [[Succession.Action]] {
        var succession = Succession()
        return events.map { event in
            switch event {
            case .reload: succession.reload()
            case .consumes(let number): succession.consumes(number)
            case .late(let number): succession.isLate(number)
            case .ended(let number): succession.ended(number)
            case .stop: succession.stop()
            }
        }
    }

    @Test("the old one is stopped when the new one works, and not before")
    func takesOver() {
        #expect(
            Self.actions([.reload, .consumes(1), .ended(0), .stop, .ended(1)]) == [
                [.start(1)], [.announce(1), .stop(0)], [], [.stop(1)], [.finish(1)],
            ]
        )
    }

    @Test("one that cannot be made, or ends before it works, changes nothing")
    func refused() {
        #expect(
            Self.actions([.reload, .ended(1), .reload, .late(2), .ended(2), .stop, .ended(0)]) == [
                [.start(1)], [.refuse(1)], [.start(2)], [.stop(2)], [.refuse(2)], [.stop(0)], [.finish(0)],
            ]
        )
    }

    @Test("signals during a change are one, and are heard when it is over")
    func quickSignals() {
        #expect(
            Self.actions([.reload, .reload, .reload, .consumes(1), .reload, .ended(0), .consumes(2), .ended(1)]) == [
                [.start(1)], [], [], [.announce(1), .stop(0)], [], [.start(2)], [.announce(2), .stop(1)], [],
            ]
        )
        #expect(
            Self.actions([.reload, .reload, .ended(1), .ended(2)]) == [
                [.start(1)], [], [.refuse(1), .start(2)], [.refuse(2)],
            ]
        )
    }

    @Test("an end stops everybody, and is over when the last one has ended")
    func stopped() {
        #expect(
            Self.actions([.reload, .stop, .reload, .consumes(1), .ended(0), .ended(1)]) == [
                [.start(1)], [.stop(0), .stop(1)], [], [], [], [.finish(0)],
            ]
        )
        #expect(
            Self.actions([.reload, .consumes(1), .stop, .ended(1), .ended(0)]) == [
                [.start(1)], [.announce(1), .stop(0)], [.stop(1), .stop(0)], [], [.finish(1)],
            ]
        )
    }

    @Test("who works ends by itself: so does the service")
    func failed() {
        #expect(Self.actions([.ended(0)]) == [[.finish(0)]])
        #expect(Self.actions([.reload, .ended(0), .ended(1)]) == [[.start(1)], [.stop(1)], [.finish(0)]])
    }
}
