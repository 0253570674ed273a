import WaybillEncoding

/// An array of texts in a request's body.
enum JSONTexts {
    /// - Returns: `nil` for anything else.
    static func read(_ bytes: [UInt8]) -> [String]? {
        bytes.withUnsafeBufferPointer { source -> [String]? in
            var texts: [String] = []
            do throws(JSONFault) {
                var scanner = JSONScanner(source, maxDepth: 2)
                try scanner.beginArray()
                while try scanner.nextElement(isFirst: texts.isEmpty) {
                    let element = try scanner.value()
                    guard element.kind == .string, !element.hasLoneSurrogate else { return nil }
                    let text = UnsafeBufferPointer(rebasing: source[element.stringRange])
                    var plain: [UInt8] = []
                    if element.hasEscapes { JSONText.appendUnescaped(text, to: &plain) } else { plain += text }
                    texts.append(String(decoding: plain, as: UTF8.self))
                }
                try scanner.finish()
            } catch {
                return nil
            }
            return texts
        }
    }
}
