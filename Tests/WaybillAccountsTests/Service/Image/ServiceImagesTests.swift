import Foundation
import Testing
import WaybillMongo
import WaybillMongoTestSupport
import WaybillTestSupport

@testable import WaybillAccounts

/// Against a real mongod.
@Suite(.enabled(if: TestDatabase.isAvailable))
struct ServiceImagesTests {
    private static let now: Int64 = 1_700_000_000_000
    private static let secrets = ServiceKeySecrets(
        current: .init(id: "r1", secret: [UInt8](repeating: 1, count: 32)),
        former: nil
    )

    private struct Rig {
        let client: MongoClient
        let database: String
        let service: String

        var store: ServiceStore { ServiceStore(client: client, database: database, secrets: secrets) }
        var images: ServiceImages { ServiceImages(client: client, database: database) }
        var details: ServiceDetails? {
            get throws { try ServiceReader(client: client, database: database).service(service) }
        }
        /// The stored files, those that were erased among them.
        var documents: [BSONDocument] {
            get throws { try client.collection(database: database, name: "service_images").find(.empty).all() }
        }

        init(client: MongoClient, database: String) throws {
            (self.client, self.database) = (client, database)
            let name = try #require(ServiceName("Backups"))
            let owner = BSONWriter()
            owner.append("_id", string: "acc_a")
            let accounts = client.collection(database: database, name: "accounts").bulk()
            try accounts.insert(owner)
            try accounts.execute().requireDurable("insert")
            service = try ServiceStore(client: client, database: database, secrets: secrets)
                .create(owner: "acc_a", name: name, levels: .all, now: now).service.id
        }

        /// Has bytes without an end.
        func held() throws -> [BSONDocument] {
            try documents.filter { $0["data"] != nil && $0["expires_at"] == nil }
        }

        func join(_ account: String, _ role: ServiceRole) throws {
            let membership = Membership(service: service, account: account, role: role, levels: .all)
            let bulk = client.collection(database: database, name: "memberships").bulk()
            try bulk.insert(membership.document(now: now))
            try bulk.execute().requireDurable("join")
        }
    }

    private static func run(_ body: (Rig) throws -> Void) throws {
        try TestDatabase.withDatabase { client, database in
            _ = try AccountsIndexes.ensure(client: client, database: database)
            try body(Rig(client: client, database: database))
        }
    }

    @Test func anImageTakesThePlaceOfTheOneBefore() throws {
        try Self.run { rig in
            #expect(try rig.images.image(of: rig.service, by: "acc_a")?.note == nil)
            let first = try rig.images.set(file: SampleImages.png, of: rig.service, by: "acc_a", now: Self.now).service
            let note = try #require(first.image)
            #expect((note.format, note.width, note.height) == (.png, 3, 2))
            #expect(first.updatedAt > Self.now)
            let read = try #require(try rig.images.image(of: rig.service, by: "acc_a"))
            let kept = try ServiceImage(SampleImages.png).bytes
            #expect(read.note == note && read.bytes == kept)
            #expect(note.path(of: rig.service).hasSuffix(".png"))
            #expect(try rig.images.image(named: note.name, of: rig.service)?.bytes == read.bytes)

            let second = try rig.images.set(file: SampleImages.jpeg(), of: rig.service, by: "acc_a", now: Self.now)
            let other = try #require(second.service.image)
            #expect(other.name != note.name && other.name.hasSuffix(".jpg"))
            #expect(try rig.images.image(named: note.name, of: rig.service) == nil)
            #expect(try rig.held().count == 1)
            // The same once more has the same address.
            let third = try rig.images.set(file: SampleImages.jpeg(), of: rig.service, by: "acc_a", now: Self.now)
            #expect(third.service.image?.name == other.name)
            #expect(try rig.images.image(named: other.name, of: rig.service) != nil)
            #expect(try rig.documents.filter { $0["data"] != nil }.count == 1)

            try rig.images.remove(from: rig.service, by: "acc_a", now: Self.now)
            #expect(try rig.details?.image == nil)
            #expect(try rig.documents.allSatisfy { $0["data"] == nil && $0["expires_at"] != nil })
        }
    }

    @Test func onlyWhoMayChangesIt() throws {
        try Self.run { rig in
            try rig.join("acc_m", .member)
            try rig.join("acc_b", .manager)
            for (account, problem) in [("acc_m", ServiceProblem.refused), ("acc_x", .unknown)] {
                #expect(throws: ServiceImageProblem.service(problem)) {
                    try rig.images.set(file: SampleImages.png, of: rig.service, by: account, now: Self.now)
                }
                #expect(throws: problem) { try rig.images.remove(from: rig.service, by: account, now: Self.now) }
            }
            #expect(try rig.documents.isEmpty)
            _ = try rig.images.set(file: SampleImages.png, of: rig.service, by: "acc_b", now: Self.now)
            #expect(try rig.images.image(of: rig.service, by: "acc_m") != nil)
            #expect(throws: ServiceProblem.unknown) { try rig.images.image(of: rig.service, by: "acc_x") }
            #expect(throws: ServiceImageProblem.image(.otherFormat)) {
                try rig.images.set(file: [1], of: rig.service, by: "acc_b", now: Self.now)
            }
            #expect(throws: ServiceImageProblem.service(.changed)) {
                try rig.images.set(file: SampleImages.png, of: rig.service, by: "acc_b", seen: 1, now: Self.now)
            }
            // Its bytes were there first, and go by themselves.
            #expect(try rig.held().count == 1)
        }
    }

    @Test func nothingOfADeletedServicesImageStays() throws {
        try Self.run { rig in
            _ = try rig.images.set(file: SampleImages.png, of: rig.service, by: "acc_a", now: Self.now)
            let name = try #require(try rig.details?.image?.name)
            try rig.store.delete(rig.service, by: "acc_a", now: Self.now)
            #expect(try rig.documents.allSatisfy { $0["data"] == nil && $0["expires_at"]?.date == Self.now })
            #expect(try rig.images.image(named: name, of: rig.service) == nil)
        }
    }

    /// What a process left that ended in between: bytes that the service named and names no more.
    @Test func whatWasLeftThereGoesWithTheNext() throws {
        try Self.run { rig in
            let left = BSONWriter()
            left.append("_id", string: "img_left")
            left.append("service", string: rig.service)
            left.append("data", binary: [1, 2, 3])
            let bulk = rig.client.collection(database: rig.database, name: "service_images").bulk()
            try bulk.insert(left)
            try bulk.execute().requireDurable("insert")
            _ = try rig.images.set(file: SampleImages.png, of: rig.service, by: "acc_a", now: Self.now)
            let held = try rig.held()
            #expect(held.count == 1 && held.first?["_id"]?.string != "img_left")
        }
    }

    @Test func ofManyAtOnceOneIsThere() throws {
        try Self.run { rig in
            let pool = try TestDatabase.pool
            let (database, service) = (rig.database, rig.service)
            DispatchQueue.concurrentPerform(iterations: 6) { number in
                try? pool.withClient { client throws(MongoError) in
                    let images = ServiceImages(client: client, database: database)
                    let file = SampleImages.jpeg(width: UInt8(number + 1))
                    do throws(ServiceImageProblem) {
                        _ = try images.set(file: file, of: service, by: "acc_a", now: Self.now)
                    } catch {
                        Issue.record("\(error)")
                    }
                }
            }
            #expect(try rig.images.image(of: service, by: "acc_a") != nil)
            #expect(try rig.held().count == 1)
        }
    }
}
