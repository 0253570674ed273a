/// Counts the lines of an export in its bytes, as they come.
struct ExportLines {
    private let format: ExportFormat
    /// In CSV the breaks of a quoted cell end no line; a doubled quote changes nothing.
    private var isQuoted = false
    private(set) var count = 0

    init(_ format: ExportFormat) { self.format = format }

    mutating func add(_ bytes: UnsafeRawBufferPointer) {
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "\n") where !isQuoted: count += 1
            case UInt8(ascii: "\"") where format == .csv: isQuoted.toggle()
            default: break
            }
        }
    }

    /// How many records these are: the first line of CSV has the columns' names.
    var records: Int { format == .csv ? max(0, count - 1) : count }
}
