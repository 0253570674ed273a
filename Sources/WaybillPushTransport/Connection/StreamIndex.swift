/// Finds the slot of a stream: open addressing over the stream's number.
///
/// A client's stream ids are 1, 3, 5…, so that half the id is a perfect spread over the cells, and neighbours in time are
/// neighbours in memory. A stream that stays open for long costs one collision, not a larger table. Where streams collide,
/// the one farther from its home has the better right to a cell (Robin Hood hashing), so that a removal ends at the first
/// neighbour that is at home: at once, as a rule, however many streams are open.
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
        cell(of: stream).map { Int(cells[$0].slot) }
    }

    private func cell(of stream: Int32) -> Int? {
        guard stream > 0 else { return nil }
        var position = home(stream)
        while cells[position].stream != stream {
            if cells[position].stream == 0 { return nil }
            position = (position + 1) & mask
        }
        return position
    }

    /// - Precondition: the stream is not in the index.
    mutating func insert(_ stream: Int32, slot: Int) {
        if (count + 1) * 2 > cells.count { grow() }
        place(Cell(stream: stream, slot: Int32(slot)))
        count += 1
    }

    mutating func remove(_ stream: Int32) {
        guard var hole = cell(of: stream) else { return }
        count -= 1
        var next = (hole + 1) & mask
        while cells[next].stream != 0, distance(of: cells[next].stream, at: next) > 0 {
            cells[hole] = cells[next]
            hole = next
            next = (next + 1) & mask
        }
        cells[hole] = Cell()
    }

    /// How far a stream in a cell is from its home.
    private func distance(of stream: Int32, at position: Int) -> Int {
        (position - home(stream)) & mask
    }

    private mutating func place(_ cell: Cell) {
        var cell = cell
        var position = home(cell.stream)
        while cells[position].stream != 0 {
            if distance(of: cells[position].stream, at: position) < distance(of: cell.stream, at: position) {
                swap(&cell, &cells[position])
            }
            position = (position + 1) & mask
        }
        cells[position] = cell
    }

    private mutating func grow() {
        let old = cells
        cells = Array(repeating: Cell(), count: old.count * 2)
        for cell in old where cell.stream != 0 { place(cell) }
    }
}
