package import WaybillCore
import WaybillEncoding

extension StoryStep {
    /// What a device has said, at the time when it came here.
    package init(_ receipt: DeliveryReceipt) {
        self.init(.receipt, date: receipt.receivedAt, text: receipt.text)
    }
}

extension DeliveryReceipt {
    /// One line for people, without the time when it came.
    package var text: String {
        var parts = ["\(event.name)"]
        if let deviceTime { parts.append("at \(TimeText.text(milliseconds: deviceTime)) by the device's clock") }
        if let app { parts.append("app \(app)") }
        switch (priority, priorityAsked) {
        case (let came?, let asked?) where came != asked: parts.append("came with priority \(came), sent with \(asked)")
        case (let came?, _): parts.append("priority \(came)")
        case (nil, _): break
        }
        return parts.joined(separator: ", ")
    }

    /// The receipt as an object.
    var json: String {
        var object = JSONObject()
        object.add("event", "\(event.name)")
        object.add("received_at", TimeText.text(milliseconds: receivedAt))
        object.add("device_time", deviceTime.map(TimeText.text(milliseconds:)))
        object.add("app", app)
        object.add("priority", priority)
        object.add("priority_asked", priorityAsked)
        return object.text
    }
}

extension ReceiptTally {
    /// For people: what was said of how many, the ones that nobody said left out; empty where nothing was said.
    package var text: String {
        guard arrived > 0 else { return "" }
        let said = ReceiptEvent.allCases.filter { $0 != .received && self[$0] > 0 }.map { "\($0.name) \(self[$0])" }
        return (["arrived \(arrived)"] + said).joined(separator: " · ")
    }

    /// The tally as an object: `arrived`, and each event.
    var json: String {
        var object = JSONObject()
        object.add("arrived", arrived)
        for event in ReceiptEvent.allCases { object.add("\(event.name)", self[event]) }
        return object.text
    }
}
