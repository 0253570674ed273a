import WaybillHTTPAPI
import WaybillSettings

/// Whether the operators' page has what it draws its charts with.
enum PageCheck {
    static func run(_ serve: ServeSettings) -> [Finding] {
        guard let page = serve.page else { return [] }
        guard let problem = PageCharts.problem(libraries: page.libraries) else {
            return [Finding(.ok, path: "serve.assets", message: "the page can draw its charts")]
        }
        return [
            Finding(
                .warning,
                path: "serve.assets",
                message:
                    "the page shows tables instead of charts (\(problem)); install libjs-chart.js, or leave it at that"
            )
        ]
    }
}
