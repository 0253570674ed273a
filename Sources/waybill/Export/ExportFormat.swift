import ArgumentParser
import WaybillDeliveryLog

/// How exported records are written.
enum ExportFormat: String, CaseIterable, Codable, ExpressibleByArgument {
    case ndjson
    case csv

    /// What comes before the first record.
    var header: String { self == .csv ? DeliveryCSV.header : "" }

    func line(_ delivery: LoggedDelivery) -> String {
        switch self {
        case .ndjson: DeliveryJSON.line(delivery) + "\n"
        case .csv: DeliveryCSV.line(delivery)
        }
    }
}
