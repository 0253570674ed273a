import WaybillCore
import WaybillMongo

/// Finds the record of one notification and of no other: by its id, its token and what it is about.
///
/// The token is also what a sharded collection may be distributed by, so that every write names its shard.
struct RecordFilter {
    private let tokenForm: TokenForm
    let document = BSONWriter(capacity: 128)

    init(tokenForm: TokenForm) {
        self.tokenForm = tokenForm
    }

    /// Begins anew with the record that has these.
    ///
    /// `storedToken` is the token as the log is known to hold it; without it a log may also hold a plain one from before
    /// its tokens became digests.
    func begin(_ record: borrowing DeliveryRecord, storedToken: String? = nil) {
        document.removeAll()
        document.append(Field.id, uuid: record.id.high, record.id.low)
        if let storedToken {
            document.append(Field.deviceToken, string: storedToken)
        } else {
            appendToken(record.deviceToken)
        }
        if let fingerprint = record.fingerprint {
            document.append(Field.fingerprint, string: Fingerprint.text(fingerprint))
        } else {
            document.append(Field.fingerprint) { $0.append("$exists", bool: false) }
        }
    }

    private func appendToken(_ token: ArraySlice<UInt8>?) {
        guard let token else { return document.append(Field.deviceToken) { $0.append("$exists", bool: false) } }
        switch tokenForm.tokens {
        case .plain: document.append(Field.deviceToken, utf8: token)
        case .digest:
            document.append(Field.deviceToken) { condition in
                condition.append(
                    "$in",
                    array: { array in
                        tokenForm.withStored(token) { array.append(string: String(decoding: $0, as: UTF8.self)) }
                        array.append(string: String(decoding: token, as: UTF8.self))
                    }
                )
            }
        }
    }
}
