/// Finds the slot of a stream: open addressing over the stream's number.
///
/// A client's stream ids are 1, 3, 5…, so that half the id is a perfect spread over the cells, and neighbours in time are
/// neighbours in memory. A stream that stays open for long costs one collision, not a larger table.
struct StreamIndex {
    private struct Cell {
        /// 0, which is no request's stream, marks an empty cell.
        var stream: Int32 = 0
        var slot: Int32 = 0
    }

    private var cells: [Cell]
    private(set) var count = 0

    init() {
        cells = Array(repeating: Cell(), count: 64)
    }

    private var mask: Int { cells.count - 1 }

    private func home(_ stream: Int32) -> Int {
        Int(stream >> 1) & mask
    }

    func slot(of stream: Int32) -> Int? {
        guard stream > 0 else { return nil }
        var position = home(stream)
        while true {
            let cell = cells[position]
            if cell.stream == stream { return Int(cell.slot) }
            if cell.stream == 0 { return nil }
            position = (position + 1) & mask
        }
    }

    /// - Precondition: the stream is not in the index.
    mutating func insert(_ stream: Int32, slot: Int) {
        if (count + 1) * 2 > cells.count { grow() }
        place(Cell(stream: stream, slot: Int32(slot)))
        count += 1
    }

    mutating func remove(_ stream: Int32) {
        var hole = home(stream)
        while cells[hole].stream != stream {
            guard cells[hole].stream != 0 else { return }
            hole = (hole + 1) & mask
        }
        count -= 1
        // Close the gap: a later cell moves back unless its home lies behind the hole.
        var next = (hole + 1) & mask
        while cells[next].stream != 0 {
            let distance = (next - home(cells[next].stream)) & mask
            if distance >= (next - hole) & mask {
                cells[hole] = cells[next]
                hole = next
            }
            next = (next + 1) & mask
        }
        cells[hole] = Cell()
    }

    private mutating func place(_ cell: Cell) {
        var position = home(cell.stream)
        while cells[position].stream != 0 { position = (position + 1) & mask }
        cells[position] = cell
    }

    private mutating func grow() {
        let old = cells
        cells = Array(repeating: Cell(), count: old.count * 2)
        for cell in old where cell.stream != 0 { place(cell) }
    }
}
