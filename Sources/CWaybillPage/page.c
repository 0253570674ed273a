#include "CWaybillPage.h"

// Written by scripts/page-files.py. In C, because the compiler of Swift takes half a minute for as many bytes.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char file_0[] = {
#embed "../WaybillHTTPAPI/Page/Assets/api.js"
};

static const unsigned char file_1[] = {
#embed "../WaybillHTTPAPI/Page/Assets/bar-parts.js"
};

static const unsigned char file_2[] = {
#embed "../WaybillHTTPAPI/Page/Assets/bar.js"
};

static const unsigned char file_3[] = {
#embed "../WaybillHTTPAPI/Page/Assets/batch.js"
};

static const unsigned char file_4[] = {
#embed "../WaybillHTTPAPI/Page/Assets/brush.js"
};

static const unsigned char file_5[] = {
#embed "../WaybillHTTPAPI/Page/Assets/copy.js"
};

static const unsigned char file_6[] = {
#embed "../WaybillHTTPAPI/Page/Assets/dialog.js"
};

static const unsigned char file_7[] = {
#embed "../WaybillHTTPAPI/Page/Assets/dom.js"
};

static const unsigned char file_8[] = {
#embed "../WaybillHTTPAPI/Page/Assets/filters.js"
};

static const unsigned char file_9[] = {
#embed "../WaybillHTTPAPI/Page/Assets/form.js"
};

static const unsigned char file_10[] = {
#embed "../WaybillHTTPAPI/Page/Assets/format.js"
};

static const unsigned char file_11[] = {
#embed "../WaybillHTTPAPI/Page/Assets/groups.js"
};

static const unsigned char file_12[] = {
#embed "../WaybillHTTPAPI/Page/Assets/icon.svg"
};

static const unsigned char file_13[] = {
#embed "../WaybillHTTPAPI/Page/Assets/index.html"
};

static const unsigned char file_14[] = {
#embed "../WaybillHTTPAPI/Page/Assets/keys.js"
};

static const unsigned char file_15[] = {
#embed "../WaybillHTTPAPI/Page/Assets/lane.js"
};

static const unsigned char file_16[] = {
#embed "../WaybillHTTPAPI/Page/Assets/links.js"
};

static const unsigned char file_17[] = {
#embed "../WaybillHTTPAPI/Page/Assets/live.js"
};

static const unsigned char file_18[] = {
#embed "../WaybillHTTPAPI/Page/Assets/login.js"
};

static const unsigned char file_19[] = {
#embed "../WaybillHTTPAPI/Page/Assets/main.js"
};

static const unsigned char file_20[] = {
#embed "../WaybillHTTPAPI/Page/Assets/openapi.yaml"
};

static const unsigned char file_21[] = {
#embed "../WaybillHTTPAPI/Page/Assets/outcome-chart.js"
};

static const unsigned char file_22[] = {
#embed "../WaybillHTTPAPI/Page/Assets/outcomes.js"
};

static const unsigned char file_23[] = {
#embed "../WaybillHTTPAPI/Page/Assets/overview.js"
};

static const unsigned char file_24[] = {
#embed "../WaybillHTTPAPI/Page/Assets/page.css"
};

static const unsigned char file_25[] = {
#embed "../WaybillHTTPAPI/Page/Assets/panel.js"
};

static const unsigned char file_26[] = {
#embed "../WaybillHTTPAPI/Page/Assets/recognise.js"
};

static const unsigned char file_27[] = {
#embed "../WaybillHTTPAPI/Page/Assets/records.js"
};

static const unsigned char file_28[] = {
#embed "../WaybillHTTPAPI/Page/Assets/rejected.js"
};

static const unsigned char file_29[] = {
#embed "../WaybillHTTPAPI/Page/Assets/route.js"
};

static const unsigned char file_30[] = {
#embed "../WaybillHTTPAPI/Page/Assets/scheme.js"
};

static const unsigned char file_31[] = {
#embed "../WaybillHTTPAPI/Page/Assets/search.js"
};

static const unsigned char file_32[] = {
#embed "../WaybillHTTPAPI/Page/Assets/session.js"
};

static const unsigned char file_33[] = {
#embed "../WaybillHTTPAPI/Page/Assets/settings.js"
};

static const unsigned char file_34[] = {
#embed "../WaybillHTTPAPI/Page/Assets/state.js"
};

static const unsigned char file_35[] = {
#embed "../WaybillHTTPAPI/Page/Assets/steps.js"
};

static const unsigned char file_36[] = {
#embed "../WaybillHTTPAPI/Page/Assets/story.js"
};

static const unsigned char file_37[] = {
#embed "../WaybillHTTPAPI/Page/Assets/tail.js"
};

static const unsigned char file_38[] = {
#embed "../WaybillHTTPAPI/Page/Assets/terms.js"
};

static const unsigned char file_39[] = {
#embed "../WaybillHTTPAPI/Page/Assets/text.js"
};

static const unsigned char file_40[] = {
#embed "../WaybillHTTPAPI/Page/Assets/time.js"
};

static const unsigned char file_41[] = {
#embed "../WaybillHTTPAPI/Page/Assets/timeline.js"
};

static const CWaybillPageFile files[] = {
    {"api.js", file_0, sizeof file_0},
    {"bar-parts.js", file_1, sizeof file_1},
    {"bar.js", file_2, sizeof file_2},
    {"batch.js", file_3, sizeof file_3},
    {"brush.js", file_4, sizeof file_4},
    {"copy.js", file_5, sizeof file_5},
    {"dialog.js", file_6, sizeof file_6},
    {"dom.js", file_7, sizeof file_7},
    {"filters.js", file_8, sizeof file_8},
    {"form.js", file_9, sizeof file_9},
    {"format.js", file_10, sizeof file_10},
    {"groups.js", file_11, sizeof file_11},
    {"icon.svg", file_12, sizeof file_12},
    {"index.html", file_13, sizeof file_13},
    {"keys.js", file_14, sizeof file_14},
    {"lane.js", file_15, sizeof file_15},
    {"links.js", file_16, sizeof file_16},
    {"live.js", file_17, sizeof file_17},
    {"login.js", file_18, sizeof file_18},
    {"main.js", file_19, sizeof file_19},
    {"openapi.yaml", file_20, sizeof file_20},
    {"outcome-chart.js", file_21, sizeof file_21},
    {"outcomes.js", file_22, sizeof file_22},
    {"overview.js", file_23, sizeof file_23},
    {"page.css", file_24, sizeof file_24},
    {"panel.js", file_25, sizeof file_25},
    {"recognise.js", file_26, sizeof file_26},
    {"records.js", file_27, sizeof file_27},
    {"rejected.js", file_28, sizeof file_28},
    {"route.js", file_29, sizeof file_29},
    {"scheme.js", file_30, sizeof file_30},
    {"search.js", file_31, sizeof file_31},
    {"session.js", file_32, sizeof file_32},
    {"settings.js", file_33, sizeof file_33},
    {"state.js", file_34, sizeof file_34},
    {"steps.js", file_35, sizeof file_35},
    {"story.js", file_36, sizeof file_36},
    {"tail.js", file_37, sizeof file_37},
    {"terms.js", file_38, sizeof file_38},
    {"text.js", file_39, sizeof file_39},
    {"time.js", file_40, sizeof file_40},
    {"timeline.js", file_41, sizeof file_41},
};

const CWaybillPageFile *cwaybill_page_files(size_t *count) {
    *count = sizeof files / sizeof *files;
    return files;
}
