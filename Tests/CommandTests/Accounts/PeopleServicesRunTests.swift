import Foundation
import Testing
import WaybillAccounts
import WaybillMongo
import WaybillMongoTestSupport
import WaybillTestSupport

/// `waybill services` and `waybill accounts transfer`, as an operator runs them, against a real mongod.
@Suite(.enabled(if: TestDatabase.isAvailable)) struct PeopleServicesRunTests {
    private struct Rig {
        let client: MongoClient
        let database: String
        let configuration: String

        func run(_ arguments: String...) throws -> RunningWaybill.Result {
            try RunningWaybill.run(arguments + ["--config", configuration])
        }

        func role(of account: String, in service: String) throws -> ServiceRole? {
            try ServiceControl(client: client, database: database).show(service)?
                .members.first { $0.account == account }?.role
        }
    }

    private func run(_ test: (Rig, _ services: [String]) throws -> Void) throws {
        try TestDatabase.withDatabase { client, database in
            _ = try AccountsIndexes.ensure(client: client, database: database)
            let accounts = client.collection(database: database, name: "accounts").bulk()
            for name in ["ada.l", "eve.e"] {
                let document = BSONWriter()
                document.append("_id", string: "acc_\(name.prefix(3))")
                document.append("username", string: name)
                document.append("username_key", string: name)
                document.append("email", string: "\(name)@example.com")
                document.append("email_key", string: "\(name)@example.com")
                document.append("created_at", date: 1_790_000_000_000)
                document.append("confirmed_at", date: 1_790_000_000_000)
                document.append(
                    "password",
                    string: "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4"
                )
                document.append("password_changed_at", date: 1_790_000_000_000)
                try accounts.insert(document)
            }
            try accounts.execute().requireDurable("insert")
            let keys = try #require(TokenKeys(root: Array(String(repeating: "root secret ", count: 4).utf8)))
            let store = ServiceStore(client: client, database: database, secrets: keys.serviceKeys)
            let services = try ["Backups", "Doors"].map { name in
                try store.create(
                    owner: "acc_ada",
                    name: try #require(ServiceName(name)),
                    levels: [NotificationLevels(.info)],
                    now: 1_790_000_000_000
                ).service.id
            }
            let folder = try TemporaryFolder()
            let url = try #require(TestDatabase.url)
            let configuration = try folder.write("waybill.yaml", "store: {url: '\(url)', database: \(database)}\n")
            try test(Rig(client: client, database: database, configuration: configuration), services)
        }
    }

    @Test("list, show, suspend, resume and transfer")
    func services() throws {
        try run { rig, services in
            let (backups, doors) = (services[0], services[1])
            let list = try rig.run("services", "list", "--owner", "ada.l")
            #expect(list.status == 0, "\(list.everything)")
            #expect(list.output.split(separator: "\n").first?.hasPrefix("ID") == true)
            #expect(list.output.contains("\(backups)  active") && list.output.contains("Doors"))
            #expect(try rig.run("services", "list", "--owner", "eve.e").output == "")

            #expect(try rig.run("services", "suspend", backups).output == "suspended \(backups)\n")
            let shown = try rig.run("services", "show", backups.uppercased())
            let json = try JSONSerialization.jsonObject(with: Data(shown.output.utf8)) as? [String: Any]
            #expect((json?["state"] as? String, json?["owners"] as? String) == ("suspended", "acc_ada"))
            #expect(try rig.run("services", "resume", backups).output == "resumed \(backups)\n")
            let ended = try rig.run("services", "list", "--json").output.split(separator: "\n")
            #expect(ended.count == 2 && ended.allSatisfy { $0.contains(#""state":"active""#) })

            #expect(
                try rig.run("services", "transfer", doors, "--to", "eve.e").output
                    == "transferred \(doors) to acc_eve\n"
            )
            #expect(try rig.role(of: "acc_eve", in: doors) == .owner)
            #expect(try rig.role(of: "acc_ada", in: doors) == .manager)
            #expect(try rig.role(of: "acc_eve", in: backups) == nil)

            // Nobody's service, no id, and an address where others can see it.
            let nobody = UUID().uuidString.lowercased()
            for arguments in [["show", nobody], ["suspend", nobody], ["resume", nobody]] {
                let result = try rig.run("services", arguments[0], arguments[1])
                #expect(result.status == 66, "\(arguments)")
                #expect(result.errors.contains("there is no service \(nobody)"))
            }
            #expect(try rig.run("services", "show", "Doors").status == 65)
            #expect(try rig.run("services", "transfer", doors, "--to", "nobody").status == 66)
            let address = try rig.run("services", "transfer", doors, "--to", "eve.e@example.com")
            #expect(address.status == 65 && !address.everything.contains("eve.e@"))
        }
    }

    @Test("all services of an account are given away")
    func accounts() throws {
        try run { rig, services in
            let result = try rig.run("accounts", "transfer", "ada.l", "--to", "acc_eve")
            #expect(result.status == 0, "\(result.everything)")
            let lines = Set(result.output.split(separator: "\n").map(String.init))
            #expect(lines == Set(services.map { "transferred \($0) to acc_eve" }))
            for service in services { #expect(try rig.role(of: "acc_eve", in: service) == .owner) }
            let again = try rig.run("accounts", "transfer", "ada.l", "--to", "eve.e")
            #expect((again.status, again.output) == (0, ""))
            #expect(again.errors.contains("acc_ada owns no service"))
            #expect(try rig.run("accounts", "transfer", "eve.e", "--to", "eve.e").status == 65)
            #expect(try rig.run("accounts", "transfer", "nobody", "--to", "eve.e").status == 66)
        }
    }
}
