import WaybillMongo

extension PasswordTries {
    private typealias Field = Accounts.AccountField

    /// Reads an account's document; what is not there is as in a new account.
    init(_ account: BSONDocument) {
        number = account["\(Field.tries)"]?.int ?? 0
        failures = account["\(Field.failures)"]?.amount ?? 0
        nextTryAt = account["\(Field.nextTryAt)"]?.date
        places = (account["\(Field.places)"]?.elements ?? []).compactMap { $0.document.flatMap(Place.init) }
    }

    /// Of a filter: nobody has written since.
    func require(_ filter: BSONWriter) {
        filter.append(Field.tries) { same in
            // A document without the field has had none.
            same.append(
                "$in",
                array: { numbers in
                    numbers.append(int64: number)
                    if number == 0 { numbers.appendNull() }
                }
            )
        }
    }

    /// The update that writes it, and what else is to be set with it.
    func update(_ more: (BSONWriter) -> Void = { _ in }) -> BSONDocument {
        BSONDocument { writer in
            writer.append("$set") { set in
                set.append(Field.tries, int64: number)
                set.append(Field.failures, int: failures)
                if let nextTryAt { set.append(Field.nextTryAt, date: nextTryAt) }
                set.append(Field.places, array: write)
                more(set)
            }
            if nextTryAt == nil { writer.append("$unset") { $0.append(Field.nextTryAt, int: 1) } }
        }
    }

    func write(_ array: inout BSONArrayWriter) {
        for place in places { array.append(document: place.write) }
    }
}

extension PasswordTries.Place {
    private typealias Field = Accounts.AccountField

    /// Reads an element; `nil` for one that is not whole.
    init?(_ document: BSONDocument) {
        guard let name = document["\(Field.place)"]?.string, let triedAt = document["\(Field.triedAt)"]?.date else {
            return nil
        }
        self.init(
            name: name,
            failures: document["\(Field.failures)"]?.amount ?? 0,
            nextTryAt: document["\(Field.nextTryAt)"]?.date,
            knownAt: document["\(Field.knownAt)"]?.date,
            triedAt: triedAt
        )
    }

    func write(_ writer: BSONWriter) {
        writer.append(Field.place, string: name)
        writer.append(Field.failures, int: failures)
        if let nextTryAt { writer.append(Field.nextTryAt, date: nextTryAt) }
        if let knownAt { writer.append(Field.knownAt, date: knownAt) }
        writer.append(Field.triedAt, date: triedAt)
    }
}
