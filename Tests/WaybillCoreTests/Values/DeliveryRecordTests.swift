import Testing
import WaybillCore

/// The fields of a record that few have lie apart: whoever reads or sets one must not notice.
struct DeliveryRecordTests {
    private static let id = NotificationID("0190d1f4-5c00-7abc-8def-0123456789ab")!

    private static let plain = DeliveryRecord(
        id: id,
        deviceToken: nil,
        outcome: .accepted,
        date: 1,
        batchID: "batch",
        lane: "parcels"
    )

    private static let full = DeliveryRecord(
        id: id,
        givenID: id,
        fingerprint: 7,
        deviceToken: nil,
        outcome: .accepted,
        date: 1,
        batchID: "batch",
        position: 3,
        serviceID: "service",
        lane: "parcels",
        provider: "fcm",
        providerID: "projects/p/messages/1",
        family: FamilyMember(first: id, number: 1, limit: 5, begins: 2),
        invalidSince: 4,
        history: [AttemptRecord(date: 1, status: 503, reason: nil)],
        waited: [LaneWait(.paused, from: 1)]
    )

    /// One of these fields.
    struct Field: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let isSet: @Sendable (DeliveryRecord) -> Bool
        /// Takes its value from another record.
        let copy: @Sendable (DeliveryRecord, inout DeliveryRecord) -> Void
    }

    private static let fields = [
        Field(testDescription: "givenID", isSet: { $0.givenID == id }, copy: { $1.givenID = $0.givenID }),
        Field(
            testDescription: "fingerprint",
            isSet: { $0.fingerprint == 7 },
            copy: { $1.fingerprint = $0.fingerprint }
        ),
        Field(testDescription: "position", isSet: { $0.position == 3 }, copy: { $1.position = $0.position }),
        Field(
            testDescription: "serviceID",
            isSet: { $0.serviceID == "service" },
            copy: { $1.serviceID = $0.serviceID }
        ),
        Field(testDescription: "provider", isSet: { $0.provider == "fcm" }, copy: { $1.provider = $0.provider }),
        Field(testDescription: "providerID", isSet: { $0.providerID != nil }, copy: { $1.providerID = $0.providerID }),
        Field(testDescription: "family", isSet: { $0.family?.number == 1 }, copy: { $1.family = $0.family }),
        Field(
            testDescription: "invalidSince",
            isSet: { $0.invalidSince == 4 },
            copy: { $1.invalidSince = $0.invalidSince }
        ),
        Field(testDescription: "history", isSet: { $0.history.count == 1 }, copy: { $1.history = $0.history }),
        Field(testDescription: "waited", isSet: { $0.waited.count == 1 }, copy: { $1.waited = $0.waited }),
    ]

    private static func names(of record: DeliveryRecord) -> [String] {
        fields.filter { $0.isSet(record) }.map(\.testDescription)
    }

    @Test func aRecordIsMadeWithAllOfThemOrWithNone() {
        #expect(Self.names(of: Self.full) == Self.fields.map(\.testDescription))
        #expect(Self.names(of: Self.plain).isEmpty)
    }

    @Test(arguments: fields)
    func eachIsSetAndTakenAwayAloneAndInOneCopyAlone(field: Field) {
        var record = Self.plain
        field.copy(Self.full, &record)
        #expect(Self.names(of: record) == [field.testDescription])
        let copy = record
        field.copy(Self.plain, &record)
        #expect(Self.names(of: record).isEmpty)
        #expect(Self.names(of: copy) == [field.testDescription])
        var rest = Self.full
        field.copy(Self.plain, &rest)
        #expect(Self.names(of: rest) == Self.fields.map(\.testDescription).filter { $0 != field.testDescription })
        #expect(Self.names(of: Self.full) == Self.fields.map(\.testDescription))
    }
}
