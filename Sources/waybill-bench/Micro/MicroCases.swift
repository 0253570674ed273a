/// Every case, in the order in which a notification meets the steps.
enum MicroCases {
    static func all(_ options: MicroOptions) -> [MicroCase] {
        DecodeCases.all + IdentityCases.all + HeadCases.all + RecordCases.all
    }
}
