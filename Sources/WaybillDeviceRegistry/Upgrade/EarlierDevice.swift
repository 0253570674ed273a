import WaybillCore
import WaybillMongo

/// A document of the layout until release 0.2.
struct EarlierDevice {
    private typealias Field = DeviceRegistry.Field
    private typealias EarlierField = DeviceRegistry.EarlierField

    let deviceToken: String?
    let topic: String?
    /// Where it belongs; `nil` if its token, topic or environment is none.
    let address: DeviceAddress?
    /// As it is in the store.
    let document: BSONDocument

    /// - Returns: `nil` if it is of this layout.
    init?(_ document: BSONDocument) {
        guard let value = document["\(EarlierField.deviceToken)"] else { return nil }
        self.document = document
        deviceToken = value.string
        topic = document["\(EarlierField.topic)"]?.string
        guard let deviceToken, let topic, !topic.isEmpty,
            let token = DeviceProvider.apns.token(deviceToken, kind: .token),
            let environment = document["\(Field.environment)"]?.string.flatMap(Environment.init)
        else {
            address = nil
            return
        }
        address = DeviceAddress(topic: topic, environment: environment, token: token)
    }

    var life: DeviceLife {
        var life = DeviceLife(document)
        life.isEnabled = document["\(Field.disabledAt)"]?.date == nil
        return life
    }

    /// Meets this document alone, as it was read, unless somebody has written twice what the unique index forbade.
    ///
    /// Whether it is disabled is part of it: that decides what the new one says.
    var filter: BSONDocument {
        BSONDocument { writer in
            writer.append(EarlierField.deviceToken, string: deviceToken ?? "")
            writer.append(EarlierField.topic, string: topic ?? "")
            writer.append(Field.environment, string: document["\(Field.environment)"]?.string ?? "")
            life.appendGuards(to: writer, withEnabled: false)
        }
    }

    /// Gives the document its new names; what else is in it stays.
    func conversion(to address: DeviceAddress) -> BSONDocument {
        BSONDocument { writer in
            writer.append("$set") { fields in
                fields.append(Field.provider, string: address.provider.rawValue)
                fields.append(Field.app, string: address.app)
                fields.append(Field.token, string: address.token)
                fields.append(Field.kind, string: DeviceTokenKind.token.rawValue)
                fields.append(Field.enabled, bool: life.isEnabled)
            }
            writer.append("$unset") { fields in
                fields.append(EarlierField.deviceToken, string: "")
                fields.append(EarlierField.topic, string: "")
            }
        }
    }

    /// Takes the document out of the registry and keeps what it said.
    func retirement() -> BSONDocument {
        BSONDocument { writer in
            writer.append("$set") { set in
                set.append(EarlierField.merged) { kept in
                    kept.append(EarlierField.deviceToken, string: deviceToken ?? "")
                    kept.append(EarlierField.topic, string: topic ?? "")
                    kept.append(Field.environment, string: document["\(Field.environment)"]?.string ?? "")
                    if let client = document["\(Field.client)"]?.string { kept.append(Field.client, string: client) }
                    life.append(to: kept)
                }
            }
            let fields = [
                EarlierField.deviceToken, EarlierField.topic, Field.environment, Field.client, Field.registeredAt,
                Field.disabledAt, Field.disabledReason, Field.invalidSince, Field.suspectedAt, Field.suspectedReason,
            ]
            writer.append("$unset") { unset in for field in fields { unset.append(field, string: "") } }
        }
    }
}
