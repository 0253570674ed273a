#include "CWaybillPage.h"

// Written by scripts/page-files.py. In C, because the compiler of Swift takes half a minute for as many bytes.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char file_0[] = {
#embed "../WaybillHTTPAPI/Page/Assets/api.js"
};

static const unsigned char file_1[] = {
#embed "../WaybillHTTPAPI/Page/Assets/app-account.js"
};

static const unsigned char file_2[] = {
#embed "../WaybillHTTPAPI/Page/Assets/app-act.js"
};

static const unsigned char file_3[] = {
#embed "../WaybillHTTPAPI/Page/Assets/app-bar.js"
};

static const unsigned char file_4[] = {
#embed "../WaybillHTTPAPI/Page/Assets/app-device.js"
};

static const unsigned char file_5[] = {
#embed "../WaybillHTTPAPI/Page/Assets/app-devices.js"
};

static const unsigned char file_6[] = {
#embed "../WaybillHTTPAPI/Page/Assets/app-enter.js"
};

static const unsigned char file_7[] = {
#embed "../WaybillHTTPAPI/Page/Assets/app-events.js"
};

static const unsigned char file_8[] = {
#embed "../WaybillHTTPAPI/Page/Assets/app-notification.js"
};

static const unsigned char file_9[] = {
#embed "../WaybillHTTPAPI/Page/Assets/app-notifications.js"
};

static const unsigned char file_10[] = {
#embed "../WaybillHTTPAPI/Page/Assets/app-own-data.js"
};

static const unsigned char file_11[] = {
#embed "../WaybillHTTPAPI/Page/Assets/app-route.js"
};

static const unsigned char file_12[] = {
#embed "../WaybillHTTPAPI/Page/Assets/app-service-image.js"
};

static const unsigned char file_13[] = {
#embed "../WaybillHTTPAPI/Page/Assets/app-service-keys.js"
};

static const unsigned char file_14[] = {
#embed "../WaybillHTTPAPI/Page/Assets/app-service-people.js"
};

static const unsigned char file_15[] = {
#embed "../WaybillHTTPAPI/Page/Assets/app-service-webhooks.js"
};

static const unsigned char file_16[] = {
#embed "../WaybillHTTPAPI/Page/Assets/app-service.js"
};

static const unsigned char file_17[] = {
#embed "../WaybillHTTPAPI/Page/Assets/app-services.js"
};

static const unsigned char file_18[] = {
#embed "../WaybillHTTPAPI/Page/Assets/app-session.js"
};

static const unsigned char file_19[] = {
#embed "../WaybillHTTPAPI/Page/Assets/app-webhook-deliveries.js"
};

static const unsigned char file_20[] = {
#embed "../WaybillHTTPAPI/Page/Assets/app.html"
};

static const unsigned char file_21[] = {
#embed "../WaybillHTTPAPI/Page/Assets/app.js"
};

static const unsigned char file_22[] = {
#embed "../WaybillHTTPAPI/Page/Assets/bar-parts.js"
};

static const unsigned char file_23[] = {
#embed "../WaybillHTTPAPI/Page/Assets/bar.js"
};

static const unsigned char file_24[] = {
#embed "../WaybillHTTPAPI/Page/Assets/batch.js"
};

static const unsigned char file_25[] = {
#embed "../WaybillHTTPAPI/Page/Assets/brush.js"
};

static const unsigned char file_26[] = {
#embed "../WaybillHTTPAPI/Page/Assets/campaign-orders.js"
};

static const unsigned char file_27[] = {
#embed "../WaybillHTTPAPI/Page/Assets/campaign-parts.js"
};

static const unsigned char file_28[] = {
#embed "../WaybillHTTPAPI/Page/Assets/campaign-test.js"
};

static const unsigned char file_29[] = {
#embed "../WaybillHTTPAPI/Page/Assets/campaign.js"
};

static const unsigned char file_30[] = {
#embed "../WaybillHTTPAPI/Page/Assets/campaigns.js"
};

static const unsigned char file_31[] = {
#embed "../WaybillHTTPAPI/Page/Assets/compose-fields.js"
};

static const unsigned char file_32[] = {
#embed "../WaybillHTTPAPI/Page/Assets/compose-request.js"
};

static const unsigned char file_33[] = {
#embed "../WaybillHTTPAPI/Page/Assets/compose.js"
};

static const unsigned char file_34[] = {
#embed "../WaybillHTTPAPI/Page/Assets/copy.js"
};

static const unsigned char file_35[] = {
#embed "../WaybillHTTPAPI/Page/Assets/dialog.js"
};

static const unsigned char file_36[] = {
#embed "../WaybillHTTPAPI/Page/Assets/dom.js"
};

static const unsigned char file_37[] = {
#embed "../WaybillHTTPAPI/Page/Assets/filters.js"
};

static const unsigned char file_38[] = {
#embed "../WaybillHTTPAPI/Page/Assets/form.js"
};

static const unsigned char file_39[] = {
#embed "../WaybillHTTPAPI/Page/Assets/format.js"
};

static const unsigned char file_40[] = {
#embed "../WaybillHTTPAPI/Page/Assets/groups.js"
};

static const unsigned char file_41[] = {
#embed "../WaybillHTTPAPI/Page/Assets/hidden.js"
};

static const unsigned char file_42[] = {
#embed "../WaybillHTTPAPI/Page/Assets/icon.svg"
};

static const unsigned char file_43[] = {
#embed "../WaybillHTTPAPI/Page/Assets/index.html"
};

static const unsigned char file_44[] = {
#embed "../WaybillHTTPAPI/Page/Assets/keys.js"
};

static const unsigned char file_45[] = {
#embed "../WaybillHTTPAPI/Page/Assets/lane.js"
};

static const unsigned char file_46[] = {
#embed "../WaybillHTTPAPI/Page/Assets/links.js"
};

static const unsigned char file_47[] = {
#embed "../WaybillHTTPAPI/Page/Assets/live.js"
};

static const unsigned char file_48[] = {
#embed "../WaybillHTTPAPI/Page/Assets/lock-screen.js"
};

static const unsigned char file_49[] = {
#embed "../WaybillHTTPAPI/Page/Assets/login.js"
};

static const unsigned char file_50[] = {
#embed "../WaybillHTTPAPI/Page/Assets/main.js"
};

static const unsigned char file_51[] = {
#embed "../WaybillHTTPAPI/Page/Assets/openapi.yaml"
};

static const unsigned char file_52[] = {
#embed "../WaybillHTTPAPI/Page/Assets/outcome-chart.js"
};

static const unsigned char file_53[] = {
#embed "../WaybillHTTPAPI/Page/Assets/outcomes.js"
};

static const unsigned char file_54[] = {
#embed "../WaybillHTTPAPI/Page/Assets/overview.js"
};

static const unsigned char file_55[] = {
#embed "../WaybillHTTPAPI/Page/Assets/page.css"
};

static const unsigned char file_56[] = {
#embed "../WaybillHTTPAPI/Page/Assets/panel.js"
};

static const unsigned char file_57[] = {
#embed "../WaybillHTTPAPI/Page/Assets/recognise.js"
};

static const unsigned char file_58[] = {
#embed "../WaybillHTTPAPI/Page/Assets/records.js"
};

static const unsigned char file_59[] = {
#embed "../WaybillHTTPAPI/Page/Assets/rejected.js"
};

static const unsigned char file_60[] = {
#embed "../WaybillHTTPAPI/Page/Assets/route.js"
};

static const unsigned char file_61[] = {
#embed "../WaybillHTTPAPI/Page/Assets/save.js"
};

static const unsigned char file_62[] = {
#embed "../WaybillHTTPAPI/Page/Assets/scheme.js"
};

static const unsigned char file_63[] = {
#embed "../WaybillHTTPAPI/Page/Assets/search.js"
};

static const unsigned char file_64[] = {
#embed "../WaybillHTTPAPI/Page/Assets/session.js"
};

static const unsigned char file_65[] = {
#embed "../WaybillHTTPAPI/Page/Assets/settings.js"
};

static const unsigned char file_66[] = {
#embed "../WaybillHTTPAPI/Page/Assets/state.js"
};

static const unsigned char file_67[] = {
#embed "../WaybillHTTPAPI/Page/Assets/steps.js"
};

static const unsigned char file_68[] = {
#embed "../WaybillHTTPAPI/Page/Assets/story.js"
};

static const unsigned char file_69[] = {
#embed "../WaybillHTTPAPI/Page/Assets/tail.js"
};

static const unsigned char file_70[] = {
#embed "../WaybillHTTPAPI/Page/Assets/terms.js"
};

static const unsigned char file_71[] = {
#embed "../WaybillHTTPAPI/Page/Assets/text.js"
};

static const unsigned char file_72[] = {
#embed "../WaybillHTTPAPI/Page/Assets/time.js"
};

static const unsigned char file_73[] = {
#embed "../WaybillHTTPAPI/Page/Assets/timeline.js"
};

static const CWaybillPageFile files[] = {
    {"api.js", file_0, sizeof file_0},
    {"app-account.js", file_1, sizeof file_1},
    {"app-act.js", file_2, sizeof file_2},
    {"app-bar.js", file_3, sizeof file_3},
    {"app-device.js", file_4, sizeof file_4},
    {"app-devices.js", file_5, sizeof file_5},
    {"app-enter.js", file_6, sizeof file_6},
    {"app-events.js", file_7, sizeof file_7},
    {"app-notification.js", file_8, sizeof file_8},
    {"app-notifications.js", file_9, sizeof file_9},
    {"app-own-data.js", file_10, sizeof file_10},
    {"app-route.js", file_11, sizeof file_11},
    {"app-service-image.js", file_12, sizeof file_12},
    {"app-service-keys.js", file_13, sizeof file_13},
    {"app-service-people.js", file_14, sizeof file_14},
    {"app-service-webhooks.js", file_15, sizeof file_15},
    {"app-service.js", file_16, sizeof file_16},
    {"app-services.js", file_17, sizeof file_17},
    {"app-session.js", file_18, sizeof file_18},
    {"app-webhook-deliveries.js", file_19, sizeof file_19},
    {"app.html", file_20, sizeof file_20},
    {"app.js", file_21, sizeof file_21},
    {"bar-parts.js", file_22, sizeof file_22},
    {"bar.js", file_23, sizeof file_23},
    {"batch.js", file_24, sizeof file_24},
    {"brush.js", file_25, sizeof file_25},
    {"campaign-orders.js", file_26, sizeof file_26},
    {"campaign-parts.js", file_27, sizeof file_27},
    {"campaign-test.js", file_28, sizeof file_28},
    {"campaign.js", file_29, sizeof file_29},
    {"campaigns.js", file_30, sizeof file_30},
    {"compose-fields.js", file_31, sizeof file_31},
    {"compose-request.js", file_32, sizeof file_32},
    {"compose.js", file_33, sizeof file_33},
    {"copy.js", file_34, sizeof file_34},
    {"dialog.js", file_35, sizeof file_35},
    {"dom.js", file_36, sizeof file_36},
    {"filters.js", file_37, sizeof file_37},
    {"form.js", file_38, sizeof file_38},
    {"format.js", file_39, sizeof file_39},
    {"groups.js", file_40, sizeof file_40},
    {"hidden.js", file_41, sizeof file_41},
    {"icon.svg", file_42, sizeof file_42},
    {"index.html", file_43, sizeof file_43},
    {"keys.js", file_44, sizeof file_44},
    {"lane.js", file_45, sizeof file_45},
    {"links.js", file_46, sizeof file_46},
    {"live.js", file_47, sizeof file_47},
    {"lock-screen.js", file_48, sizeof file_48},
    {"login.js", file_49, sizeof file_49},
    {"main.js", file_50, sizeof file_50},
    {"openapi.yaml", file_51, sizeof file_51},
    {"outcome-chart.js", file_52, sizeof file_52},
    {"outcomes.js", file_53, sizeof file_53},
    {"overview.js", file_54, sizeof file_54},
    {"page.css", file_55, sizeof file_55},
    {"panel.js", file_56, sizeof file_56},
    {"recognise.js", file_57, sizeof file_57},
    {"records.js", file_58, sizeof file_58},
    {"rejected.js", file_59, sizeof file_59},
    {"route.js", file_60, sizeof file_60},
    {"save.js", file_61, sizeof file_61},
    {"scheme.js", file_62, sizeof file_62},
    {"search.js", file_63, sizeof file_63},
    {"session.js", file_64, sizeof file_64},
    {"settings.js", file_65, sizeof file_65},
    {"state.js", file_66, sizeof file_66},
    {"steps.js", file_67, sizeof file_67},
    {"story.js", file_68, sizeof file_68},
    {"tail.js", file_69, sizeof file_69},
    {"terms.js", file_70, sizeof file_70},
    {"text.js", file_71, sizeof file_71},
    {"time.js", file_72, sizeof file_72},
    {"timeline.js", file_73, sizeof file_73},
};

const CWaybillPageFile *cwaybill_page_files(size_t *count) {
    *count = sizeof files / sizeof *files;
    return files;
}
