import WaybillEncoding

/// What the body of an answer says (`google.rpc.Status`), read from as much of it as was kept.
///
/// Nothing is decided by the message's text: it is for people, and several causes share one.
package struct FCMAnswerBody: Hashable, Sendable {
    /// The most bytes of an answer that are kept.
    package static let maximumSize = 8 * 1024

    /// FcmError's `errorCode`; `UNSPECIFIED_ERROR`, which JSON may leave out, for an FcmError without one.
    package var errorCode: String?
    /// ErrorInfo's `reason`.
    package var errorInfo: String?
    /// `error.status`.
    package var status: String?
    /// The fields of BadRequest, in their order.
    package var violations: [String] = []
    /// What QuotaFailure says of its quotas: the descriptions.
    package var quotas: [String] = []
    /// A good answer's `name`.
    package var name: String?
    /// FCM's own words with `INVALID_ARGUMENT`: the field violations, else the message; at most 200 characters, without tokens.
    package private(set) var words: String?

    package init() {}

    /// Reads a body; what cannot be read is as if it were not there.
    package init(_ bytes: [UInt8]) {
        guard let members = try? JSONReader.members(of: bytes) else { return }
        let reader = Body(bytes)
        for member in members {
            switch member.name {
            case "name": name = reader.text(member)
            case "error": readError(reader, member.value)
            default: break
            }
        }
    }

    private mutating func readError(_ body: Body, _ range: Range<Int>) {
        var message: String?
        var described: [String] = []
        for member in body.members(range) {
            switch member.name {
            case "status": status = body.text(member)
            case "message": message = body.text(member)
            case "details":
                for detail in body.elements(member.value) { readDetail(body, detail, &described) }
            default: break
            }
        }
        guard [status, errorCode].contains(FCMErrorCode.invalidArgument.rawValue) else { return }
        words = FCMWords.text(described) ?? message.flatMap { FCMWords.text([$0]) }
    }

    private mutating func readDetail(_ body: Body, _ range: Range<Int>, _ described: inout [String]) {
        let members = body.members(range)
        guard let type = members.first(where: { $0.name == "@type" }).flatMap(body.text) else { return }
        func text(_ name: String) -> String? { members.first { $0.name == name }.flatMap(body.text) }
        func elements(_ list: String, _ names: String...) -> [[String]] {
            guard let list = members.first(where: { $0.name == list }) else { return [] }
            return body.elements(list.value).map { element in
                let members = body.members(element)
                return names.compactMap { name in members.first { $0.name == name }.flatMap(body.text) }
            }
        }
        switch type.split(separator: "/").last {
        case "google.firebase.fcm.v1.FcmError":
            let code = text("errorCode") ?? ""
            errorCode = errorCode ?? (code.isEmpty ? FCMErrorCode.unspecified.rawValue : code)
        case "google.rpc.ErrorInfo": errorInfo = errorInfo ?? text("reason")
        case "google.rpc.BadRequest":
            violations += elements("fieldViolations", "field").joined()
            described += elements("fieldViolations", "field", "description").map { $0.joined(separator: ": ") }
        case "google.rpc.QuotaFailure": quotas += elements("violations", "description").joined()
        default: break
        }
    }

    /// The body's text, and what stands where in it.
    private struct Body {
        private let bytes: [UInt8]

        init(_ bytes: [UInt8]) {
            self.bytes = bytes
        }

        func members(_ range: Range<Int>) -> [JSONReader.Member] {
            (try? JSONReader.members(of: bytes, in: range)) ?? []
        }

        func text(_ member: JSONReader.Member) -> String? {
            guard bytes[member.value.lowerBound] == UInt8(ascii: "\"") else { return nil }
            var text: [UInt8] = []
            let inner = bytes[(member.value.lowerBound + 1)..<(member.value.upperBound - 1)]
            inner.withUnsafeBufferPointer { JSONText.appendUnescaped($0, to: &text) }
            return String(decoding: text, as: UTF8.self)
        }

        /// Where the elements of an array stand; nothing for what is none.
        func elements(_ range: Range<Int>) -> [Range<Int>] {
            guard !range.isEmpty, bytes[range.lowerBound] == UInt8(ascii: "[") else { return [] }
            var elements: [Range<Int>] = []
            var start = range.lowerBound + 1
            var depth = 0
            var isInString = false
            var isEscaped = false
            for position in start..<range.upperBound {
                let byte = bytes[position]
                if isInString {
                    if isEscaped {
                        isEscaped = false
                    } else if byte == UInt8(ascii: "\\") {
                        isEscaped = true
                    } else if byte == UInt8(ascii: "\"") {
                        isInString = false
                    }
                    continue
                }
                switch byte {
                case UInt8(ascii: "\""): isInString = true
                case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
                case UInt8(ascii: "}"), UInt8(ascii: "]"):
                    if depth == 0 { appendElement(start..<position, to: &elements) }
                    depth -= 1
                case UInt8(ascii: ",") where depth == 0:
                    appendElement(start..<position, to: &elements)
                    start = position + 1
                default: break
                }
            }
            return elements
        }

        private func appendElement(_ range: Range<Int>, to elements: inout [Range<Int>]) {
            let blanks: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0D]
            guard let first = range.first(where: { !blanks.contains(bytes[$0]) }),
                let last = range.last(where: { !blanks.contains(bytes[$0]) })
            else { return }
            elements.append(first..<(last + 1))
        }
    }
}
