import Testing
import WaybillSimulator
import WaybillThreads

@Suite struct FCMPhoneTests {
    static func at(_ seconds: Int) -> MonotonicTime {
        MonotonicTime(nanoseconds: 1).advanced(by: .seconds(seconds))
    }

    static func message(_ rest: String = #""data":{"a":"1"}"#) throws -> FCMMessageCheck.Message {
        try FCMMessageCheck.judge(Array(#"{"message":{"token":"\#(FCMMessageCheckTests.token)",\#(rest)}}"#.utf8))
    }

    @Test func getsEverythingWhileItCanBeReached() throws {
        var phone = FCMPhone()
        phone.take(try Self.message(), id: "1", at: Self.at(0))
        phone.take(try Self.message(#""android":{"ttl":"0s"}"#), id: "2", at: Self.at(0))
        phone.take(try Self.message(), id: "1", at: Self.at(0))
        #expect(phone.events == [.message(id: "1"), .message(id: "2"), .message(id: "1")])
    }

    @Test func keepsWhatLives() throws {
        var phone = FCMPhone()
        phone.leave()
        for (id, life) in [("now", "0s"), ("short", "59.9s"), ("long", "60s")] {
            phone.take(try Self.message(#""android":{"ttl":"\#(life)"}"#), id: id, at: Self.at(0))
        }
        phone.take(try Self.message(), id: "month", at: Self.at(0))
        #expect(phone.events.isEmpty)
        phone.comeBack(at: Self.at(59))
        #expect(phone.events == [.message(id: "long"), .message(id: "month")])
    }

    @Test func keepsTheNewestOfFourKeys() throws {
        var phone = FCMPhone()
        phone.leave()
        for (id, key) in [("1", "a"), ("2", "b"), ("3", "a"), ("4", "c"), ("5", "d"), ("6", "e")] {
            phone.take(try Self.message(#""android":{"collapse_key":"\#(key)"}"#), id: id, at: Self.at(0))
        }
        phone.comeBack(at: Self.at(1))
        #expect(phone.events == ["3", "4", "5", "6"].map { .message(id: $0) })
        phone.leave()
        // Notifications are collapsible without a key, too.
        for id in ["7", "8"] { phone.take(try Self.message(#""notification":{"title":"x"}"#), id: id, at: Self.at(2)) }
        phone.comeBack(at: Self.at(3))
        #expect(phone.events.last == .message(id: "8"))
        #expect(phone.events.count == 5)
    }

    @Test func dropsAllAtTheHundredAndFirst() throws {
        var phone = FCMPhone()
        phone.leave()
        for number in 1...100 { phone.take(try Self.message(), id: "\(number)", at: Self.at(0)) }
        var full = phone
        full.comeBack(at: Self.at(1))
        #expect(full.events.count == 100)
        phone.take(try Self.message(), id: "101", at: Self.at(0))
        phone.comeBack(at: Self.at(1))
        #expect(phone.events == [.deleted])
    }
}
