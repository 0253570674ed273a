/// Every case, in the order in which a notification meets the steps.
enum MicroCases {
    /// The cases that can be run with what the caller has given.
    static func all(_ options: MicroOptions) -> [MicroCase] {
        exact + [SendCase.send] + (options.store == nil ? [] : [StoreCase.insert])
            + (options.broker == nil ? [] : [BrokerCase.consume])
    }

    private static let exact =
        DecodeCases.all + IdentityCases.all + StageCases.beforeSending + HeadCases.all + FrameCases.all + TLSCases.all
        + AnswerCases.all + StageCases.afterAnswers + RecordCases.all + StageCases.afterWriting
}
