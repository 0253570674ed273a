import WaybillEncoding

/// A server's answer to a notification that it has understood.
struct NotifyAnswer: Equatable {
    /// `nil` from the Notifire API, which tells nothing more.
    var id: String?
    var recipients: Int?
    var devices: Int?
    /// Why no device gets it; made fit for a terminal.
    var detail: String?
    /// The words of the Notifire API where the level is switched off; made fit for a terminal.
    var silence: String?

    /// Whether no phone is reached.
    var isUnheard: Bool { devices == 0 }

    /// One line.
    var words: String {
        guard let recipients, let devices else { return "Success!" }
        let reach = "\(Counted.text(recipients, "recipient")), \(Counted.text(devices, "device"))"
        return isUnheard ? "Stored, but no device gets it: \(detail ?? reach)." : "Success! \(reach)."
    }
}

extension NotifyAnswer {
    /// Reads the body of a 202.
    init(_ body: [UInt8]) {
        guard let members = try? JSONReader.members(of: body) else { return }
        body.withUnsafeBufferPointer { bytes in
            let reader = JSONReader(bytes)
            func number(_ name: String) -> Int? {
                members.first { $0.name == name }.flatMap(reader.integer).map { Int(clamping: $0) }
            }
            id = members.first { $0.name == "id" }.flatMap(reader.string).map(Cell.printable)
            detail = members.first { $0.name == "detail" }.flatMap(reader.string).map(Cell.printable)
            recipients = number("recipients")
            devices = number("devices")
        }
    }
}
