import WaybillEncoding
import WaybillFleet

extension FleetHealth.Finding {
    /// For programs.
    func write(to json: inout JSONWriter) {
        json.beginObject()
        json.member("kind", kind.rawValue)
        json.member("grade", "\(grade)")
        if let lane { json.member("lane", lane) }
        json.member("text", lineSafe: text)
        if let advice { json.member("advice", lineSafe: advice) }
        json.endObject()
    }
}
