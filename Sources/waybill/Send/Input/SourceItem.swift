/// One notification of the input: a JSON object, and the line on which it begins.
struct SourceItem {
    let line: Int
    let json: ArraySlice<UInt8>
}
