import Testing

@testable import WaybillMongo

@Suite struct BSONTests {
    @Test func aDocumentHasTheBytesOfTheSpecification() {
        // bsonspec.org's own example.
        let document = BSONDocument { $0.append("hello", string: "world") }
        let expected: [UInt8] =
            [0x16, 0, 0, 0, 0x02] + Array("hello".utf8) + [0, 6, 0, 0, 0] + Array("world".utf8) + [0, 0]
        #expect(document.bytes == expected)
    }

    @Test func everyTypeComesBackAsItWent() {
        let document = BSONDocument { writer in
            writer.append("string", string: "a\u{0}é")
            writer.append("bytes", utf8: Array("b\u{0}c".utf8)[1...])
            writer.append("empty", utf8: [])
            writer.append("int", int: -7)
            writer.append("wide", int: 1 << 40)
            writer.append("int64", int64: .min)
            writer.append("double", double: 1.5)
            writer.append("bool", bool: true)
            writer.append("date", date: -1)
            writer.append("uuid", uuid: 0x0001_0203_0405_0607, 0x0809_0a0b_0c0d_0e0f)
            writer.append("nested", document: { $0.append("inner", document: { $0.append("deep", int: 1) }) })
            writer.append("array", array: { array in for number in 0..<12 { array.append(string: "\(number)") } })
            writer.append("last", int: 2)
        }
        #expect(document["string"] == .string("a\u{0}é"))
        #expect(document["bytes"] == .string("\u{0}c"))
        #expect(document["empty"] == .string(""))
        #expect(document["int"] == .int(-7))
        #expect(document["wide"] == .int(1 << 40))
        #expect(document["int64"] == .int(.min))
        #expect(document["double"] == .double(1.5))
        #expect(document["bool"] == .bool(true))
        #expect(document["date"] == .date(-1))
        #expect(document["uuid"] == .uuid(high: 0x0001_0203_0405_0607, low: 0x0809_0a0b_0c0d_0e0f))
        #expect(document["nested"]?.document?["inner"]?.document?["deep"] == .int(1))
        #expect(document["array"]?.elements == (0..<12).map { .string("\($0)") })
        #expect(document["last"] == .int(2))
        #expect(document["absent"] == nil)
        #expect(document.fields.map(\.key).first == "string")
        #expect(document.fields.count == 13)
    }

    @Test func aNameThatAppearsTwiceIsFound() {
        let apart = BSONDocument { writer in
            writer.append("a", int: 1)
            writer.append("b") { $0.append("a", int: 1) }
        }
        #expect(apart.repeatedName == nil && apart.isPlain)
        let twice = BSONDocument { writer in
            for name in ["a", "b", "c", "b", "a"] { writer.append(name: name, int: 1) }
        }
        #expect(twice.repeatedName == "b" && !twice.isPlain)
    }

    /// No server looks for it.
    @Test func whatIsNoUTF8IsNamedByItsPath() {
        let broken: ArraySlice<UInt8> = [0x61, 0xFF]
        #expect(BSONDocument { $0.append("a", string: "grün 👋\u{0}") }.brokenText == nil)
        #expect(BSONDocument { $0.append("a", utf8: broken) }.brokenText == "a")
        let nested = BSONDocument { writer in
            writer.append("n", int: 1)
            writer.append("a") { $0.append("b") { $0.append("c", utf8: broken) } }
        }
        #expect(nested.brokenText == "a.b.c" && !nested.isPlain)
        let array = BSONDocument { writer in
            writer.append("tags", array: { array in array.append { $0.append("c", utf8: broken) } })
        }
        #expect(array.brokenText == "tags" && !array.isPlain)
        var bytes = BSONDocument { $0.append("outer") { $0.append("x", int: 1) } }.bytes
        for place in bytes.indices where bytes[place] == UInt8(ascii: "x") { bytes[place] = 0xFF }
        #expect(BSONDocument(bytes: bytes).brokenText == "outer.(a name)")
        #expect(!BSONDocument(bytes: bytes).isPlain)
    }

    /// What is not plain may be sound all the same, and is looked at closely.
    @Test func whatIsASCIIThroughoutIsPlain() {
        let plain = BSONDocument { writer in
            writer.append("a", string: "news\u{0}")
            writer.append("b", date: .max)
            writer.append("c", array: { array in array.append { $0.append("a", string: "x") } })
        }
        #expect(plain.isPlain && BSONDocument.empty.isPlain)
        #expect(!BSONDocument { $0.append("a", string: "grün") }.isPlain)
        let many = BSONDocument { writer in for number in 0..<40 { writer.append(name: "n\(number)", int: 1) } }
        #expect(!many.isPlain && many.repeatedName == nil)
    }

    /// Anybody may have written what is read, and it is added up.
    @Test(
        arguments: [
            (.int(0), 0), (.int(7), 7), (.double(7), 7), (.int(1_000_000_000_000), 1_000_000_000_000),
            (.int(1_000_000_000_001), nil), (.int(-1), nil), (.int(.max), nil), (.double(9e18), nil),
            (.double(0.5), nil),
            (.double(.nan), nil), (.double(.infinity), nil), (.string("7"), nil), (.null, nil),
        ] as [(BSONValue, Int?)]
    )
    func anAmountCanBeAddedUp(value: BSONValue, amount: Int?) {
        #expect(value.amount == amount)
    }

    @Test(
        arguments: [
            (.date(0), 0), (.date(1_700_000_000_000), 1_700_000_000_000), (.date(.max), 253_402_300_799_999),
            (.date(.min), -62_135_596_800_000), (.int(0), nil),
        ] as [(BSONValue, Int64?)]
    )
    func aDateCanBeComputedWith(value: BSONValue, date: Int64?) {
        #expect(value.date == date)
    }

    @Test func aUUIDIsBinaryOfSubtypeFourInReadingOrder() {
        let document = BSONDocument { $0.append("u", uuid: 0x0001_0203_0405_0607, 0x0809_0a0b_0c0d_0e0f) }
        #expect(document.bytes == [29, 0, 0, 0, 5, UInt8(ascii: "u"), 0, 16, 0, 0, 0, 4] + Array(0...15) + [0])
    }

    @Test func aWriterIsUsedAgainFromTheStart() {
        let writer = BSONWriter(capacity: 8)
        for round in 0..<3 {
            writer.removeAll()
            writer.append("round", int: round)
            writer.append("text", string: String(repeating: "x", count: 1000 * round))
            writer.append("child", document: { $0.append("round", int: round) })
            #expect(writer.document["round"] == .int(Int64(round)))
            #expect(writer.document["child"]?.document?["round"] == .int(Int64(round)))
            #expect(writer.document.fields.count == 3)
            #expect(writer.count == writer.document.bytes.count)
        }
    }

    @Test(arguments: [40, 41, 60, 100])
    func aFieldThatWouldBeTooMuchIsRefusedAndTheRestStaysWhole(limit: Int) {
        let writer = BSONWriter(capacity: 8, limit: limit)
        writer.append("a", string: "12345678")
        writer.append("b", document: { $0.append("c", string: "1234567890") })
        writer.append("d", string: String(repeating: "x", count: 80))
        #expect(writer.hasOverflown)
        #expect(writer.count <= limit)
        #expect(writer.document["a"] == .string("12345678"))
        #expect(writer.document["d"] == nil)
        writer.removeAll()
        #expect(!writer.hasOverflown)
        writer.append("e", int: 1)
        #expect(writer.document.fields.map(\.key) == ["e"])
    }

    @Test func documentsInAnArrayKeepTheirOrder() {
        let document = BSONDocument { writer in
            writer.append(
                "list",
                array: { array in
                    array.append(document: { $0.append("n", int: 0) })
                    array.append(document: BSONDocument { $0.append("n", int: 1) })
                    array.append(uuid: 1, 2)
                }
            )
        }
        let elements = document["list"]?.elements ?? []
        #expect(elements.count == 3)
        #expect(elements.first?.document?["n"] == .int(0))
        #expect(elements.dropFirst().first?.document?["n"] == .int(1))
        #expect(elements.last == .uuid(high: 1, low: 2))
    }
}
