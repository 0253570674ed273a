import WaybillEncoding

/// The members of one object that the decoder knows: a run in the reader's list.
///
/// Most objects hold two or three, so looking one up is a test of a bit and a short walk.
struct Members {
    /// One member: its field and where its value stands.
    struct Slot {
        let field: Field
        let value: JSONValue
    }

    var present: FieldSet = []
    var slots: Range<Int> = 0..<0

    func value(of field: Field, in list: [Slot]) -> JSONValue? {
        guard present.contains(field) else { return nil }
        for slot in slots where list[slot].field == field { return list[slot].value }
        return nil
    }
}

/// A value that decides how a notification is sent, and whose it is.
struct Setting {
    let field: Field
    let value: JSONValue
    /// It comes from `defaults`, not from the notification itself.
    let isDefault: Bool

    func fault(_ rule: ItemFault.Rule) -> ItemFault {
        ItemFault(field: field, isDefault: isDefault, rule: rule)
    }
}
