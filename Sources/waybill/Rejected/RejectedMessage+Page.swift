import WaybillAMQP
import WaybillMessages
import WaybillOperations

extension RejectedMessage {
    /// Everything there is to see.
    ///
    /// - Parameter isFull: with device tokens as they are.
    /// - Returns: headers and properties, an empty line, the body.
    func page(isFull: Bool) -> String {
        var lines = messageID == nil ? [Cell.padded("id", to: 18) + id] : []
        for (name, value) in facts { lines.append("\(Cell.padded(name, to: 18))\(Cell.printable(value))") }
        for (name, value) in rejection.otherHeaders(of: delivery.properties) {
            lines.append("\(Cell.padded(Cell.printable(name), to: 18))\(Cell.printable(Self.text(value)))")
        }
        return lines.joined(separator: "\n") + "\n\n" + body(isFull: isFull)
    }
}
