import WaybillCore
import WaybillDeliveryLog
import WaybillFleet
import WaybillMongo
import WaybillReceipts

extension DeliveryInvestigation {
    /// What devices have said of records.
    ///
    /// Where it cannot be read, that is said in place of it: the log's part of the answer is worth having alone.
    func receipts(of records: [LoggedDelivery]) -> Result<[ReceiptSubject: [DeliveryReceipt]], MongoError> {
        do throws(MongoError) {
            return .success(try saidOfDevices.receipts(of: records.compactMap(\.receiptSubject)))
        } catch {
            return .failure(error)
        }
    }

    /// What is known of records' families; as with receipts, the rest is worth having alone.
    func families(of records: [LoggedDelivery]) -> Result<FamilyFindings, MongoError> {
        do throws(MongoError) {
            var findings = try FamilyFindings(of: records, familyReader, saidOfDevices, reader)
            guard !findings.isEmpty else { return .success(findings) }
            findings.scope = scope
            do throws(MongoError) {
                let orders = try OrderReader(client: client, database: database).orders()
                findings.cancellations = orders.cancelled
                findings.lifted = orders.lifted.map(\.cancellation)
            } catch {
                // Of what has ended the rest is worth having alone.
                if records.contains(where: findings.isUnderWay) { throw error }
            }
            return .success(findings)
        } catch {
            return .failure(error)
        }
    }

    /// What fuses have done with records' events; as with receipts, the rest is worth having alone.
    func fuses(of records: [LoggedDelivery]) -> Result<FuseFindings, MongoError> {
        do throws(MongoError) {
            let events = records.filter { $0.verdict != nil }
            return .success(try FuseFindings(of: events, client: client, options: options))
        } catch {
            return .failure(error)
        }
    }

    /// Who takes the events of records; the store is asked where there are any.
    func eventTaker(for records: [LoggedDelivery]) -> EventTaker {
        guard records.contains(where: { $0.verdict != nil }) else { return .unknown }
        return EventTaker(client: client, database: database)
    }
}
