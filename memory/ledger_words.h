// memory/ledger_words.h: the word lists of the ledger's scanners.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <span>
#include <string_view>

namespace liubai::memory::words {

using namespace std::string_view_literals;

template <class List>
constexpr bool Has(const List& list, std::string_view word) {
  return std::find(std::begin(list), std::end(list), word) != std::end(list);
}

// Whether `text` has one of `list` anywhere in it.
template <class List = std::initializer_list<std::string_view>>
bool Holds(std::string_view text, const List& list) {
  return std::any_of(std::begin(list), std::end(list),
                     [&](std::string_view part) { return text.find(part) != text.npos; });
}

inline constexpr std::string_view kMonths[] = {
    "january",   "february", "march",    "april",    "may",  "june", "july", "august",
    "september", "october",  "november", "december", "jan",  "feb",  "mar",  "apr",
    "jun",       "jul",      "aug",      "sep",      "sept", "oct",  "nov",  "dec"};
inline constexpr auto kWholeMonths = std::span(kMonths).first<12>();
inline constexpr std::string_view kWeekdays[] = {"monday", "tuesday",  "wednesday", "thursday",
                                                 "friday", "saturday", "sunday"};
inline constexpr std::string_view kYearLeads[] = {
    "in",    "since", "from", "until", "by",      "of",     "before", "after",  "year", "class",
    "early", "late",  "till", "to",    "between", "around", "circa",  "during", "on",   "vs"};
inline constexpr std::string_view kCurrencyWords[] = {
    "dollars", "dollar", "euros",     "euro",   "pounds",  "yuan",  "bucks",  "usd",
    "eur",     "gbp",    "cny",       "rmb",    "jpy",     "cents", "yen",    "francs",
    "rupees",  "chf",    "pound",     "grand",  "quid",    "pence", "hkd",    "aud",
    "cad",     "sgd",    "inr",       "sek",    "nok",     "dkk",   "krw",    "won",
    "naira",   "rand",   "shillings", "cedis",  "ringgit", "baht",  "dong",   "lira",
    "zloty",   "rupee",  "peso",      "riyals", "taka",    "krona", "koruna", "forint",
    "shekels", "pesos",  "kronor",    "kroner", "cent",    "franc", "rubles", "dirhams"};
// Written before the amount: "CHF 4,310.00".
inline constexpr std::string_view kCurrencyCodes[] = {
    "usd", "eur", "gbp", "cny", "rmb", "jpy", "chf", "hkd", "aud", "cad", "sgd", "inr",
    "sek", "nok", "dkk", "krw", "nzd", "twd", "rs",  "ngn", "zar", "mxn", "brl", "try",
    "pln", "czk", "huf", "thb", "myr", "php", "idr", "vnd", "kes", "ghs", "aed", "sar"};
inline constexpr std::string_view kScales[] = {"million", "billion", "thousand", "trillion"};
inline constexpr std::string_view kUnits[] = {
    "sqm",        "sqft",        "sq",          "kg",           "g",
    "mg",         "km",          "m",           "cm",           "mm",
    "miles",      "mile",        "feet",        "foot",         "ft",
    "inches",     "inch",        "lb",          "lbs",          "pounds",
    "oz",         "ounces",      "liters",      "litres",       "liter",
    "litre",      "l",           "ml",          "gb",           "mb",
    "tb",         "kb",          "hours",       "hour",         "hrs",
    "minutes",    "minute",      "mins",        "min",          "seconds",
    "second",     "days",        "day",         "weeks",        "week",
    "months",     "month",       "years",       "year",         "degrees",
    "mph",        "kmh",         "kwh",         "watts",        "w",
    "volts",      "v",           "hz",          "ghz",          "mhz",
    "calories",   "kcal",        "people",      "guests",       "pages",
    "tokens",     "meters",      "metres",      "meter",        "metre",
    "acres",      "percent",     "cups",        "cup",          "tablespoons",
    "teaspoons",  "ms",          "us",          "kilometers",   "kilometres",
    "grams",      "kilos",       "kilograms",   "kilo",         "milligrams",
    "micrograms", "tonnes",      "tonne",       "tons",         "ton",
    "gallons",    "gallon",      "pints",       "pint",         "yards",
    "yard",       "nights",      "night",       "times",        "bytes",
    "bits",       "px",          "fps",         "rpm",          "knots",
    "mah",        "mmhg",        "bpm",         "milliseconds", "gbps",
    "mbps",       "tablespoon",  "teaspoon",    "litres",       "decades",
    "decade",     "centimetres", "centimeters", "millimetres",  "millimeters",
    "square",     "inhabitants", "tbsp",        "tsp",          "s",
    "h",          "sec",         "secs",        "kj",           "ki",
    "mi",         "gi",          "ti",          "kib",          "mib",
    "gib",        "tib"};
// "one hour" is an amount, "one day" is some day.
inline constexpr std::string_view kVagueUnits[] = {
    "day", "year", "month", "week", "night", "second", "minute", "m", "l", "g", "w", "v"};
// "five feet four inches"
inline constexpr std::string_view kSmallerUnits[] = {
    "minutes", "minute", "min",   "mins",   "seconds", "second", "secs",   "sec", "hours", "hour",
    "days",    "day",    "weeks", "months", "inches",  "inch",   "ounces", "oz",  "cents", "s"};
inline constexpr std::string_view kFractions[] = {
    "third", "quarter", "fifth", "tenth", "thirds", "quarters", "fifths", "tenths", "halves"};
inline constexpr std::string_view kOrdinals[] = {"first", "second", "third",    "fourth",
                                                 "fifth", "sixth",  "seventh",  "eighth",
                                                 "ninth", "tenth",  "eleventh", "twelfth"};
// Behind an ordinal: a place in an order that is a fact.
inline constexpr std::string_view kOrdered[] = {
    "floor",     "door",     "exit",  "street",    "wing",   "row",     "turning",  "house",
    "grade",     "chapter",  "page",  "edition",   "shelf",  "drawer",  "building", "left",
    "right",     "storey",   "place", "lane",      "stop",   "gate",    "column",   "line",
    "paragraph", "semester", "year",  "trimester", "dose",   "attempt", "try",      "shot",
    "time",      "act",      "scene", "verse",     "stanza", "volume"};
inline constexpr std::string_view kTimeZones[] = {"est", "edt", "pst", "pdt",  "cst", "cdt",
                                                  "gmt", "utc", "cet", "cest", "bst", "jst"};
inline constexpr std::string_view kExtensions[] = {
    "cc",   "cpp",  "c",           "h",     "hpp",   "cu",   "py",    "js",    "ts",   "tsx",
    "java", "go",   "rs",          "rb",    "sh",    "txt",  "md",    "pdf",   "doc",  "docx",
    "xls",  "xlsx", "ppt",         "pptx",  "csv",   "json", "jsonl", "yaml",  "yml",  "toml",
    "xml",  "html", "css",         "sql",   "db",    "log",  "zip",   "tar",   "gz",   "png",
    "jpg",  "jpeg", "gif",         "svg",   "mp3",   "mp4",  "wav",   "ini",   "conf", "cfg",
    "env",  "lock", "gguf",        "ipynb", "key",   "pem",  "odt",   "ods",   "odp",  "epub",
    "mobi", "webp", "heic",        "mov",   "avi",   "mkv",  "flac",  "ogg",   "rtf",  "tex",
    "bib",  "tsv",  "parquet",     "pkl",   "npy",   "onnx", "bin",   "exe",   "dmg",  "apk",
    "iso",  "deb",  "rpm",         "jar",   "dll",   "bak",  "tmp",   "patch", "diff", "vue",
    "jsx",  "scss", "php",         "kt",    "swift", "lua",  "bat",   "psd",   "dwg",  "ics",
    "vcf",  "eml",  "safetensors", "proto", "cmake", "mjs",  "kml",   "gpx",   "srt",  "7z",
    "rar",  "bz2",  "xz",          "tgz"};

// Capitalised for other reasons than being a name.
inline constexpr std::string_view kNotNames[] = {
    "i",          "i'm",        "i've",      "i'll",      "i'd",        "ok",         "okay",
    "yes",        "no",         "hi",        "hello",     "hey",        "thanks",     "thank",
    "please",     "sorry",      "well",      "so",        "oh",         "wow",        "the",
    "a",          "an",         "my",        "your",      "his",        "her",        "our",
    "their",      "its",        "it",        "it's",      "we",         "we're",      "you",
    "he",         "she",        "they",      "this",      "that",       "these",      "those",
    "there",      "here",       "what",      "when",      "where",      "who",        "why",
    "how",        "which",      "and",       "but",       "or",         "if",         "then",
    "because",    "after",      "before",    "for",       "from",       "in",         "on",
    "at",         "by",         "with",      "to",        "of",         "as",         "is",
    "are",        "was",        "were",      "do",        "does",       "did",        "can",
    "could",      "would",      "should",    "will",      "have",       "has",        "had",
    "let",        "let's",      "just",      "also",      "actually",   "maybe",      "not",
    "never",      "always",     "remember",  "make",      "don't",      "not",        "one",
    "two",        "three",      "some",      "all",       "any",        "each",       "every",
    "both",       "another",    "other",     "more",      "most",       "tell",       "give",
    "write",      "explain",    "show",      "find",      "good",       "great",      "nice",
    "sure",       "today",      "tomorrow",  "yesterday", "next",       "last",       "now",
    "later",      "ai",         "faq",       "pm",        "am",         "tv",         "pc",
    "url",        "pdf",        "api",       "id",        "correction", "note",       "ps",
    "btw",        "fyi",        "asap",      "dear",      "best",       "regards",    "monday",
    "tuesday",    "wednesday",  "thursday",  "friday",    "saturday",   "sunday",     "january",
    "february",   "march",      "april",     "may",       "june",       "july",       "august",
    "september",  "october",    "november",  "december",  "wait",       "call",       "use",
    "keep",       "new",        "add",       "set",       "remind",     "got",        "see",
    "yeah",       "right",      "you're",    "he's",      "she's",      "they're",    "that's",
    "what's",     "where's",    "who's",     "there's",   "i’m",        "i’ve",       "i’ll",
    "i’d",        "let’s",      "english",   "chinese",   "french",     "german",     "spanish",
    "japanese",   "reply",      "answer",    "speak",     "meanwhile",  "however",    "since",
    "while",      "during",     "about",     "only",      "ask",        "be",         "book",
    "buy",        "send",       "check",     "put",       "turn",       "everything", "everyone",
    "nobody",     "someone",    "something", "nothing",   "first",      "second",     "third",
    "finally",    "usd",        "eur",       "gbp",       "cny",        "rmb",        "jpy",
    "chf",        "gb",         "mb",        "tb",        "kb",         "kg",         "km",
    "cm",         "est",        "edt",       "pst",       "pdt",        "cst",        "gmt",
    "utc",        "cet",        "jst",       "noted",     "alright",    "once",       "dad",
    "mum",        "mom",        "mummy",     "daddy",     "italian",    "korean",     "russian",
    "portuguese", "arabic",     "dutch",     "swedish",   "polish",     "turkish",    "greek",
    "american",   "british",    "european",  "asian",     "african",    "indian",     "mexican",
    "canadian",   "australian", "irish",     "scottish",  "danish",     "norwegian",  "finnish",
    "thai",       "vietnamese", "latin",     "hindi",     "hebrew",     "swiss",      "austrian",
    "brazilian",  "spring",     "summer",    "autumn",    "winter",     "room",       "gate",
    "flight",     "terminal",   "platform",  "chapter",   "page",       "section",    "exit",
    "line",       "version",    "order",     "seat",      "table",      "figure",     "step",
    "level",      "floor",      "ha",        "haha",      "hmm",        "ah",         "oops",
    "yay",        "bye",        "cheers",    "congrats",  "welcome",    "mine",       "second",
    "half",       "never",      "docs",      "office",    "hotline",    "port",       "error",
    "careful",    "update",     "reminder",  "warning",   "important",  "ps",         "re",
    "cc",         "bcc",        "dm",        "psa",       "omg",        "lol",        "lmao",
    "tbh",        "imo",        "idk",       "tldr",      "eta",        "eod",        "rsvp",
    "subject",    "internet",   "bible",     "god",       "earth",      "celsius",    "fahrenheit"};

// Peoples, languages and faiths: capitals, and names of nobody.
inline constexpr std::string_view kPeoples[] = {
    "welsh",     "gaelic",       "ukrainian",     "persian",     "farsi",       "urdu",
    "bengali",   "punjabi",      "tamil",         "swahili",     "yoruba",      "igbo",
    "mandarin",  "cantonese",    "tagalog",       "malay",       "indonesian",  "catalan",
    "basque",    "czech",        "hungarian",     "romanian",    "bulgarian",   "serbian",
    "croatian",  "icelandic",    "belgian",       "nigerian",    "kenyan",      "ghanaian",
    "egyptian",  "moroccan",     "peruvian",      "chilean",     "argentinian", "colombian",
    "cuban",     "jamaican",     "ethiopian",     "filipino",    "pakistani",   "israeli",
    "lebanese",  "syrian",       "iranian",       "iraqi",       "taiwanese",   "mongolian",
    "nordic",    "celtic",       "catholic",      "muslim",      "jewish",      "buddhist",
    "hindu",     "protestant",   "christian",     "islamic",     "western",     "eastern",
    "victorian", "georgian",     "roman",         "albanian",    "armenian",    "estonian",
    "latvian",   "lithuanian",   "slovak",        "slovenian",   "bosnian",     "macedonian",
    "afghan",    "somali",       "sudanese",      "tunisian",    "algerian",    "venezuelan",
    "bolivian",  "hawaiian",     "texan",         "californian", "londoner",    "parisian",
    "nepali",    "burmese",      "cambodian",     "singaporean", "malaysian",   "tibetan",
    "kurdish",   "scandinavian", "mediterranean", "caribbean",   "latina",      "latino",
    "hispanic",  "creole",       "brits",         "americans",   "germans",     "italians",
    "europeans", "christians",   "muslims",       "marathi",     "gujarati",    "telugu",
    "malayalam", "zulu",         "xhosa",         "afrikaans",   "flemish",     "bavarian",
    "sicilian",  "tuscan",       "berber",        "maori"};

// After a capitalised word at the start of a sentence these say that it is a name.
inline constexpr std::string_view kNameFollowers[] = {
    "is",     "was",     "has",   "had",   "said",    "says",    "lives",  "works",
    "likes",  "loves",   "hates", "wants", "told",    "called",  "and",    "moved",
    "bought", "went",    "came",  "got",   "will",    "asked",   "thinks", "prefers",
    "starts", "started", "plays", "runs",  "teaches", "studies", "turns",  "turned",
    "gave",   "made",    "needs", "lost",  "won",     "knows",   "can"};
inline constexpr std::string_view kTitles[] = {
    "mr",       "mrs",    "ms",      "dr",       "prof",   "professor", "aunt",  "uncle", "doctor",
    "captain",  "sir",    "grandma", "grandpa",  "granny", "auntie",    "coach", "judge", "nurse",
    "engineer", "pastor", "sister",  "sergeant", "chef",   "mama",      "papa",  "matron"};

// Common Chinese family names of one character.
inline constexpr std::string_view kSurnames =
    "王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗梁宋郑谢韩唐冯董萧程曹袁邓许傅沈曾彭吕苏卢蒋蔡贾丁"
    "魏薛叶阎余潘杜戴夏钟汪田任姜范石姚谭廖邹熊金陆郝孔白崔康毛邱秦江史顾侯邵孟龙万段雷钱汤尹黎易"
    "武乔贺赖龚文方"sv;
inline constexpr std::string_view kChineseTitles[] = {
    "先生", "女士", "小姐", "老师", "医生",   "大夫", "经理", "总监",
    "教授", "主任", "阿姨", "叔叔", "师傅",   "律师", "同学", "博士",
    "护士", "老板", "院长", "校长", "工程师", "奶奶", "爷爷", "总"};
// Before a family name these say that a person follows.
inline constexpr std::string_view kPersonLeads[] = {
    "同事", "朋友", "同桌", "闺蜜", "发小", "班主任", "队友",   "网友", "搭档", "秘书", "助理",
    "保姆", "司机", "前任", "男友", "女友", "男朋友", "女朋友", "儿媳", "女婿", "外甥", "侄子",
    "侄女", "徒弟", "老板", "妹妹", "姐姐", "哥哥",   "弟弟",   "女儿", "儿子", "室友", "邻居",
    "同学", "表哥", "表姐", "表弟", "表妹", "客户",   "医生",   "老师", "经理", "丈夫", "妻子",
    "老公", "老婆", "联系", "找",   "和",   "跟",     "给",     "问",   "房东", "导师", "领导"};
// These end a Chinese name.
inline constexpr std::string_view kNotGiven =
    "的是在有和跟与了吗呢很也都住今说去来喜不对从到给把让会要想能就才又还叫做个这那您你我他她它们"
    "比被向请会给，。！？、；：（）「」“”的一二三四五六七八九十上下为没每已将号月日年只条岁因生打"sv;
inline constexpr std::string_view kChineseUnits[] = {
    "号楼",   "单元",   "病区",   "居室",   "个百分点", "个工作日", "个小时", "个半小时", "个星期",
    "个季度", "工作日", "年级",   "周年",   "毫秒",     "毫克",     "微克",   "大卡",     "千卡",
    "卡路里", "毫安时", "个晚上", "个早上", "个钟头",   "年半",     "微秒",   "摄氏度",   "人份",
    "千瓦时", "毫安",   "英亩",   "秒钟",   "平方",     "立方米",   "室",     "公斤",     "千克",
    "公里",   "千米",   "厘米",   "毫米",   "平方米",   "平米",     "毫升",   "小时",     "分钟",
    "个月",   "星期",   "英里",   "英尺",   "英寸",     "磅",       "克",     "斤",       "米",
    "升",     "秒",     "天",     "周",     "年",       "岁",       "度",     "瓶",       "杯",
    "人",     "位",     "只",     "条",     "本",       "张",       "台",     "辆",       "次",
    "件",     "套",     "间",     "层",     "楼",       "页",       "章",     "步",       "口",
    "个",     "亩",     "吨",     "片",     "粒",       "颗",       "顿",     "折",       "倍",
    "站",     "公顷",   "字",     "门",     "份",       "棵",       "匹",     "头",       "趟",
    "遍",     "名",     "号线",   "路",     "集",       "期",       "把",     "码",       "桌",
    "行",     "节",     "针",     "床",     "支",       "根",       "朵",     "双",       "对",
    "群",     "排",     "座",     "首",     "部",       "项",       "场",     "款",       "轮",
    "届",     "盒",     "袋",     "箱",     "罐",       "桶",       "家",     "道",       "题",
    "堂",     "号",     "平",     "种",     "轮",       "班",       "兆",     "包",       "碗",
    "盘",     "栋",     "户",     "轴",     "捆",       "串",       "束",     "副",       "顶",
    "枚",     "扇",     "勺",     "匙",     "壶",       "锅",       "笼",     "筐",       "篮",
    "瓣",     "餐",     "剂",     "贴",     "册",       "幕",       "封",     "则",       "篇",
    "讲",     "课",     "局",     "圈",     "两",       "公分",     "株",     "盆",       "坛",
    "列",     "艘",     "架",     "缸",     "炉",       "球",       "箱",     "分",       "晚",
    "夜",     "段",     "笔",     "单",     "卷",       "滴",       "寸",     "尺",       "代",
    "级",     "格"};
// Words and sayings that begin with a numeral and count nothing.
inline constexpr std::string_view kNumeralWords[] = {
    "三明治",   "三番五次", "三言两语", "三心二意", "三三两两", "三长两短", "三国",     "三亚",
    "三角",     "三峡",     "三轮",     "三文鱼",   "四川",     "四处",     "四季",     "四周围",
    "四面八方", "四通八达", "五花八门", "五颜六色", "五官",     "五湖四海", "五香",     "五花肉",
    "六神",     "七夕",     "七上八下", "七嘴八舌", "七八糟",   "八卦",     "八仙",     "八道",
    "九牛一毛", "九寨沟",   "十字",     "十分",     "十足",     "十全十美", "百货",     "百姓",
    "百科",     "百分百",   "百度",     "百年",     "百家",     "百看",     "百发百中", "千万别",
    "千万不",   "千万要",   "千方百计", "千山万水", "千言万语", "千里",     "万一",     "万能",
    "万岁",     "两全其美", "万分",     "万事",     "万众",     "万无一失", "万物",     "万里",
    "一五一十", "一心一意", "一清二楚", "一干二净", "两岸",     "两难",     "两口子",   "二维码",
    "二手",     "二胡",     "二话",     "半斤八两", "一一",     "一二",     "三四线",   "零食",
    "零钱",     "零件",     "零售",     "零碎",     "四舍五入", "八成是",   "九零后",   "八零后"};
inline constexpr std::string_view kChineseMoney[] = {
    "万元", "亿元",   "美元",   "欧元",     "英镑",   "日元",   "港币",  "港元", "人民币",
    "块钱", "元整",   "万日元", "万美元",   "万欧元", "亿美元", "卢布",  "韩元", "泰铢",
    "新币", "澳元",   "加元",   "法郎",     "毛钱",   "元钱",   "元",    "块",   "万块",
    "美金", "块台币", "块港币", "块人民币", "台币",   "港纸",   "越南盾"};

}  // namespace liubai::memory::words
