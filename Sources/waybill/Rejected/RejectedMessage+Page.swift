import WaybillAMQP
import WaybillEncoding
import WaybillMessages
import WaybillOperations

extension RejectedMessage {
    /// Everything there is to see.
    ///
    /// - Parameters:
    ///   - isFull: with device tokens as they are.
    ///   - isOnScreen: whether a person reads it: then hidden characters of the body are written out, and unless it is
    ///     ``isFull`` only its beginning is shown.
    /// - Returns: headers and properties, an empty line, the body.
    func page(isFull: Bool, isOnScreen: Bool) -> String {
        var lines = messageID == nil ? [Cell.padded("id", to: 18) + id] : []
        for (name, value) in facts { lines.append("\(Cell.padded(name, to: 18))\(Cell.printable(value))") }
        for (name, value) in rejection.otherHeaders(of: delivery.properties) {
            lines.append("\(Cell.padded(Cell.printable(name), to: 18))\(Cell.printable(Self.text(value)))")
        }
        return lines.joined(separator: "\n") + "\n\n" + shownBody(isFull: isFull, isOnScreen: isOnScreen)
    }

    /// As much of a body as a person looks at.
    private static let charactersOnScreen = 10_000

    private func shownBody(isFull: Bool, isOnScreen: Bool) -> String {
        let body = body(isFull: isFull)
        guard isOnScreen else { return body }
        let shown = isFull ? body : TextLength.cut(body, to: Self.charactersOnScreen)
        return HiddenCharacters.shown(shown, followsLines: true)
    }
}
