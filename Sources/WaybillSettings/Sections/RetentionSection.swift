import WaybillCore
import WaybillEncoding

/// `retention`: how long each client's records are kept.
enum RetentionSection {
    static func read(_ section: SectionReader) -> RetentionPolicy? {
        defer { section.finish() }
        let byDefault = section.setting("default").flatMap { period($0, section) }
        if byDefault == nil, !section.isPresent("default") {
            section.error(
                "default",
                "is missing; write 30d, or keep (forever). There is no built-in default: how long records are kept is part "
                    + "of the contract with each client, and nothing may delete them without permission"
            )
        }
        let clientSection = section.section("clients")
        let unknown = section.choice("unknown", default: RetentionPolicy.Unknown.keep)
        var clients: [ExactName: RetentionPolicy.Period] = [:]
        var others: Set<ExactName> = []
        for (client, setting) in clientSection.freeValues() {
            if setting.text == "default" {
                others.insert(ExactName(client))
            } else {
                clients[client] = period(setting, section, orElse: ", or the word default")
            }
        }
        return byDefault.map {
            RetentionPolicy(default: $0, clients: clients, otherClients: others, unknown: unknown)
        }
    }

    private static func period(_ setting: Setting, _ section: SectionReader, orElse: String = "")
        -> RetentionPolicy.Period?
    {
        if let period = RetentionPolicy.Period(setting.text) { return period }
        section.findings.error(
            setting.path,
            setting.origin,
            "must be whole days, such as 30d, at most \(RetentionPolicy.Period.maximumDays)d, or the word keep\(orElse)"
        )
        return nil
    }
}
