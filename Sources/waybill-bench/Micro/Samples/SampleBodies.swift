/// Bodies of dispatch messages in the three forms (`schemas/dispatch-message.schema.json`).
enum SampleBodies {
    /// An array of notifications with payloads.
    static func array(_ message: Int) -> [UInt8] {
        let items = Samples.numbers(ofMessage: message).map { number in
            #"{"device_token":"\#(Samples.token(number))","payload":\#(Samples.payload(number))}"#
        }
        return Array("[\(items.joined(separator: ","))]".utf8)
    }

    /// An array in the shortest words: texts instead of payloads.
    static func texts(_ message: Int) -> [UInt8] {
        let items = Samples.numbers(ofMessage: message).map { number in
            #"{"device_token":"\#(Samples.token(number))","message":"\#(text(number))"}"#
        }
        return Array("[\(items.joined(separator: ","))]".utf8)
    }

    /// An envelope with a name, a client and defaults around notifications with payloads.
    static func envelope(_ message: Int) -> [UInt8] {
        let items = Samples.numbers(ofMessage: message).map { number in
            #"{"device_token":"\#(Samples.token(number))","payload":\#(Samples.payload(number))}"#
        }
        let head = #"{"batch_id":"march-\#(message)","client":"shop","lane":"parcels","#
        let defaults = #""defaults":{"priority":10,"expiration":\#(Samples.timestamp + 86_400_000)},"#
        return Array("\(head)\(defaults)\"notifications\":[\(items.joined(separator: ","))]}".utf8)
    }

    /// One payload for many device tokens.
    static func tokens(_ message: Int) -> [UInt8] {
        let tokens = Samples.numbers(ofMessage: message).map { "\"\(Samples.token($0))\"" }
        let head = #"{"batch_id":"march-\#(message)","payload":\#(Samples.payload(message)),"#
        return Array("\(head)\"device_tokens\":[\(tokens.joined(separator: ","))]}".utf8)
    }

    private static func text(_ number: Int) -> String {
        "Your parcel \(1_000_000 + number) is two stops away. " + String(repeating: "x", count: 150)
    }
}
