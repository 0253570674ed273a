import Testing

@testable import waybill

@Suite("CSV items")
struct CSVItemsTests {
    @Test("cells become text, numbers or JSON, as their fields demand; empty ones are left out")
    func cells() throws {
        let csv = #"""
            device_token,message,title,badge,expiration,collapse_id,payload,content_available
            00,"say ""hi""",7,3,null,null,,true
            01,,,,1700000000,order-7,"{""aps"":{}}",

            """#
        let items = try CSVItems.items(Array(csv.utf8))
        #expect(items.map(\.line) == [2, 3])
        #expect(
            items.map { String(decoding: $0.json, as: UTF8.self) } == [
                #"{"device_token":"00","message":"say \"hi\"","title":"7","badge":3,"expiration":null,"#
                    + #""collapse_id":null,"content_available":true}"#,
                #"{"device_token":"01","expiration":1700000000,"collapse_id":"order-7","payload":{"aps":{}}}"#,
            ]
        )
    }

    @Test("columns that begin with x- are the producer's own")
    func ownColumns() throws {
        let items = try CSVItems.items(Array("x-order,device_token,x-a b\n7,00,\n,01,{}\n".utf8))
        #expect(
            items.map { String(decoding: $0.json, as: UTF8.self) } == [
                #"{"x-order":"7","device_token":"00"}"#, #"{"device_token":"01","x-a b":"{}"}"#,
            ]
        )
    }

    @Test(
        "headers that cannot be used",
        arguments: ["device_token,device_token\n", "device_token,\n", "Message\n", "device_token,x-\n", ""]
    )
    func headers(csv: String) {
        #expect(throws: InputErrors.self) { try CSVItems.items(Array(csv.utf8)) }
    }

    @Test("rows with mistakes do not hide the ones behind them")
    func allMistakes() throws {
        let error = #expect(throws: InputErrors.self) { try CSVItems.items(Array("device_token\na,b\n00\nc,d\n".utf8)) }
        #expect(error?.errors.map(\.line) == [2, 4])
    }
}
