/// A table of text that uses the width it has: columns give way in steps, and grow again where there is room.
///
/// Without a width nothing is cut: the reader is a program, or a pager that scrolls.
struct TextTable {
    struct Column {
        /// What goes when a text is too long.
        enum Cut {
            case end
            /// Both ends of an id tell it from others.
            case middle
            /// The end, without a sign that something is missing: a date to the minute.
            case plain
        }

        let title: String
        /// The title in the narrowest layout.
        var narrowTitle: String?
        var alignsRight = false
        var cut = Cut.end
        /// The most columns by layout, from wide to narrow; 0 leaves the column out.
        ///
        /// One that has none is never cut.
        var limits: [Int] = []
        /// Whether it takes what the others leave over, which is for the last one.
        var takesRest = false
        /// Whether it gives way last, when even the narrowest layout is too wide.
        var keeps = false
        /// Cells by row.
        let cells: [String]
    }

    /// How many layouts there are; the limits of a column are for each of them.
    static let layouts = 4
    private static let gap = "  "
    /// Columns that the last column needs to be worth its place, and that it is left before the others grow.
    private static let leastRest = 20
    private static let leastRestOfAll = 10
    private static let goodRest = 40
    /// What a date and any other text are not cut below.
    private static let day = 10
    private static let usefulColumn = 6
    private static let leastColumn = 4

    private let columns: [Column]

    /// A table of these columns, without the ones in which every cell is empty.
    init(columns: [Column]) {
        self.columns = columns.compactMap { column in
            let cells = column.cells.map(Cell.whole)
            guard cells.contains(where: { !$0.isEmpty }) else { return nil }
            return Column(
                title: column.title,
                narrowTitle: column.narrowTitle,
                alignsRight: column.alignsRight,
                cut: column.cut,
                limits: column.limits,
                takesRest: column.takesRest,
                keeps: column.keeps,
                cells: cells
            )
        }
    }

    /// The heading and a line for each row, no longer than the width.
    ///
    /// - Parameters:
    ///   - width: columns; `nil` shows everything whole.
    ///   - paint: colours a cell that has its final width, by row and title; the heading has no row.
    /// - Returns: lines without spaces at their ends.
    func lines(width: Int?, paint: (_ row: Int?, _ title: String, _ text: String) -> String) -> [String] {
        let layout = width.map { self.layout(width: $0) } ?? whole
        let rows = columns.first?.cells.count ?? 0
        return ([nil] + (0..<rows).map(Optional.some)).map { row in
            var line: [String] = []
            // What is empty at the end is left away: spaces there would wrap on a narrow terminal.
            var filled = 0
            for (column, columns) in zip(self.columns, layout.columns) where columns > 0 {
                let text =
                    row.map { Self.cut(column.cells[$0], column.cut, columns) }
                    ?? Cell.clipped(layout.title(column), to: columns)
                let padded = Cell.padded(text, to: columns, alignsRight: column.alignsRight)
                line.append(paint(row, column.title, padded))
                if !text.isEmpty { filled = line.count }
            }
            return Self.withoutEnd(line.prefix(filled).joined(separator: Self.gap))
        }
    }

    private struct Layout {
        var columns: [Int]
        let isNarrowest: Bool

        /// With the gaps between the columns.
        var width: Int { columns.reduce(-TextTable.gap.count) { $0 + ($1 > 0 ? $1 + TextTable.gap.count : 0) } }

        func title(_ column: Column) -> String { isNarrowest ? column.narrowTitle ?? column.title : column.title }
    }

    private var whole: Layout {
        Layout(columns: columns.map { natural($0, isNarrowest: false) }, isNarrowest: false)
    }

    private func natural(_ column: Column, isNarrowest: Bool) -> Int {
        let title = isNarrowest ? column.narrowTitle ?? column.title : column.title
        return column.cells.reduce(Cell.width(title)) { max($0, Cell.width($1)) }
    }

    /// The widest layout that fits, its columns grown into what is left over.
    private func layout(width: Int) -> Layout {
        var layout = self.layout(number: 0)
        for number in 1..<Self.layouts where layout.width > width { layout = self.layout(number: number) }
        shrink(&layout, to: width)
        // What was cut with a sign comes first: a date says enough without its seconds.
        let growing = columns.indices.filter { layout.columns[$0] > 0 && !columns[$0].takesRest }
        for position in growing.filter({ columns[$0].cut != .plain }) + growing.filter({ columns[$0].cut == .plain }) {
            let wanted = natural(columns[position], isNarrowest: layout.isNarrowest) - layout.columns[position]
            let room = width - layout.width - reserve(layout)
            if wanted > 0, wanted <= room || columns[position].cut == .end && room > 0 {
                layout.columns[position] += min(wanted, room)
            }
        }
        if let last = columns.indices.last, columns[last].takesRest, layout.columns[last] > 0 {
            let room = layout.columns[last] + max(0, width - layout.width)
            layout.columns[last] = min(natural(columns[last], isNarrowest: false), room)
        }
        return layout
    }

    /// Takes from the columns what even the narrowest layout has too much: dates first, then the widest, column by column.
    private func shrink(_ layout: inout Layout, to width: Int) {
        for position in columns.indices where columns[position].cut == .plain && layout.width > width {
            let least = min(layout.columns[position], Self.day)
            layout.columns[position] = max(least, layout.columns[position] - (layout.width - width))
        }
        while layout.width > width {
            let shrinking = columns.indices.filter { position in
                columns[position].cut != .plain && layout.columns[position] > Self.leastColumn
            }
            let givingWay = shrinking.filter { !columns[$0].keeps && layout.columns[$0] > Self.usefulColumn }
            let widest = (givingWay.isEmpty ? shrinking : givingWay).max { layout.columns[$0] < layout.columns[$1] }
            guard let widest else { return }
            layout.columns[widest] -= 1
        }
    }

    private func layout(number: Int) -> Layout {
        let isNarrowest = number == Self.layouts - 1
        let widths = columns.map { column in
            let natural = natural(column, isNarrowest: isNarrowest)
            if column.takesRest { return min(natural, isNarrowest ? Self.leastRestOfAll : Self.leastRest) }
            return number < column.limits.count ? min(natural, column.limits[number]) : natural
        }
        return Layout(columns: widths, isNarrowest: isNarrowest)
    }

    /// What the last column still needs before the others may grow.
    private func reserve(_ layout: Layout) -> Int {
        guard let last = columns.indices.last, columns[last].takesRest else { return 0 }
        return max(0, min(natural(columns[last], isNarrowest: false), Self.goodRest) - layout.columns[last])
    }

    private static func cut(_ text: String, _ cut: Column.Cut, _ columns: Int) -> String {
        switch cut {
        case .end: Cell.clipped(text, to: columns)
        case .middle: Cell.shortened(text, to: columns)
        case .plain: String(text.prefix(columns))
        }
    }

    private static func withoutEnd(_ line: String) -> String {
        String(line.reversed().drop { $0 == " " }.reversed())
    }
}
