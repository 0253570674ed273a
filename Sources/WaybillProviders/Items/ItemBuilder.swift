import WaybillCore

/// Judges the values of a message's items by its provider's rules and makes the batch's items from them.
///
/// A builder brings its provider's rules for one item; how items go through them is the same for all.
protocol ItemBuilder {
    /// How an item is sent.
    associatedtype Settings
    /// What an item sends.
    associatedtype Content

    var reader: ItemReader { get }
    var common: CommonParts<Settings, Content> { get set }

    /// Judges the item at a position, which has another index where its message is a part of the producer's.
    mutating func prepare(_ position: Int, index: Int) -> PreparedItem

    /// An item's own settings, else the defaults, else the contract's.
    mutating func resolveSettings(own: Members) throws(ItemFault) -> Settings

    /// What an item sends; its settings change where its payload says more of them.
    mutating func resolveContent(own: Members, settings: inout Settings) throws(ItemFault) -> Content
}

/// What items of a message have in common, judged once.
struct CommonParts<Settings, Content> {
    /// For items that name no setting of their own.
    fileprivate var settings: Result<Settings, ItemFault>?
    /// For the `device_tokens` form.
    fileprivate var all: Result<(Settings, Content), ItemFault>?
}

extension ItemBuilder {
    /// The batch's items; the parameters are those of ``ItemReader/makeItems(_:body:indexes:)``.
    mutating func makeItems(body: [UInt8], indexes: [Int]?) -> [Batch.Item] {
        var prepared: [PreparedItem] = []
        prepared.reserveCapacity(reader.envelope.drafts.count)
        for position in reader.envelope.drafts.indices {
            prepared.append(prepare(position, index: indexes?[position] ?? position))
        }
        return reader.makeItems(prepared, body: body, indexes: indexes)
    }

    /// How an item is sent, and what it sends.
    mutating func parts(of own: Members) throws(ItemFault) -> (Settings, Content) {
        guard reader.envelope.form == .deviceTokens else { return try ownParts(of: own) }
        if let known = common.all { return try known.get() }
        let result = Result { () throws(ItemFault) in try ownParts(of: reader.envelope.shared) }
        common.all = result
        return try result.get()
    }

    private mutating func ownParts(of own: Members) throws(ItemFault) -> (Settings, Content) {
        var settings: Settings
        if own.present.isDisjoint(with: .delivery) {
            let result =
                common.settings ?? Result { () throws(ItemFault) in try resolveSettings(own: Members()) }
            common.settings = result
            settings = try result.get()
        } else {
            settings = try resolveSettings(own: own)
        }
        let content = try resolveContent(own: own, settings: &settings)
        return (settings, content)
    }
}
