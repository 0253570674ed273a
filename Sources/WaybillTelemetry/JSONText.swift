/// JSON strings for log lines: control characters escaped, so that no value can start a line of its own.
enum JSONText {
    static func appendString(_ value: String, to text: inout String) {
        text.append("\"")
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\"": text.append("\\\"")
            case "\\": text.append("\\\\")
            case "\n": text.append("\\n")
            case "\r": text.append("\\r")
            case "\t": text.append("\\t")
            case _
            where scalar.value < 0x20 || scalar.value == 0x7F || scalar.value == 0x2028 || scalar.value == 0x2029:
                let digits = String(scalar.value, radix: 16)
                text.append("\\u" + String(repeating: "0", count: 4 - digits.count) + digits)
            default: text.unicodeScalars.append(scalar)
            }
        }
        text.append("\"")
    }
}
