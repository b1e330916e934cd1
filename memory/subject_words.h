// memory/subject_words.h: the word classes by which a noun phrase is told from what stands around
// it.
#pragma once

#include <string_view>

namespace liubai::memory::words {

inline constexpr std::string_view kDeterminers[] = {
    "the", "a",    "an",    "this", "that", "these",   "those", "some", "any",
    "no",  "each", "every", "both", "all",  "another", "other", "such", "either"};
inline constexpr std::string_view kPossessives[] = {"my",  "our",   "your", "his",
                                                    "her", "their", "its"};
inline constexpr std::string_view kPrepositions[] = {
    "of",      "for",   "in",    "on",     "at",      "by",     "with",    "from",    "to",
    "into",    "about", "near",  "behind", "under",   "over",   "between", "during",  "after",
    "before",  "since", "until", "till",   "through", "around", "per",     "against", "within",
    "without", "as",    "than",  "like",   "worth",   "past",   "beside",  "above",   "below",
    "towards", "up",    "down",  "off",    "out",     "across", "along",   "inside",  "outside"};
inline constexpr std::string_view kPronouns[] = {
    "i",       "you",     "he",      "she",        "it",         "we",       "they",
    "me",      "him",     "us",      "them",       "who",        "what",     "which",
    "one",     "ones",    "i'm",     "i've",       "i'd",        "i'll",     "he's",
    "she's",   "it's",    "we're",   "they're",    "you're",     "that's",   "there",
    "here",    "we've",   "they've", "you've",     "we'll",      "you'll",   "he'll",
    "she'll",  "they'll", "let's",   "everybody",  "everyone",   "somebody", "someone",
    "nobody",  "anybody", "nothing", "something",  "everything", "anything", "myself",
    "himself", "herself", "itself",  "themselves", "yourself",   "mine",     "yours",
    "ours",    "theirs",  "whom",    "whose",      "there's",    "here's",   "what's"};
inline constexpr std::string_view kConjunctions[] = {
    "and",  "or",       "but",    "because", "if",  "when", "while",   "so",
    "nor",  "although", "though", "where",   "why", "how",  "whether", "unless",
    "once", "then",     "not",    "please",  "yes", "noted"};
inline constexpr std::string_view kAdverbs[] = {
    "now",       "only",    "just",      "about",     "exactly",  "almost",        "nearly",
    "still",     "also",    "already",   "even",      "ever",     "never",         "always",
    "again",     "too",     "very",      "really",    "quite",    "rather",        "perhaps",
    "maybe",     "soon",    "often",     "usually",   "roughly",  "approximately", "actually",
    "currently", "today",   "tomorrow",  "yesterday", "tonight",  "least",         "most",
    "more",      "less",    "much",      "many",      "together", "away",          "back",
    "home",      "finally", "later",     "early",     "earlier",  "late",          "ago",
    "half",      "next",    "last",      "well",      "far",      "long",          "instead",
    "yet",       "first",   "second",    "third",     "at",       "else",          "properly",
    "otherwise", "however", "sometimes", "mostly",    "simply",   "certainly",     "probably",
    "truly",     "hardly",  "apart",     "ahead",     "enough",   "few",           "little",
    "several",   "twice"};
inline constexpr std::string_view kVerbs[] = {
    "cannot",    "couldn't",  "wouldn't",   "shouldn't", "haven't",  "hasn't",  "is",
    "are",       "was",       "were",       "be",        "been",     "being",   "am",
    "has",       "have",      "had",        "having",    "do",       "does",    "did",
    "done",      "will",      "would",      "can",       "could",    "should",  "shall",
    "may",       "might",     "must",       "isn't",     "wasn't",   "aren't",  "don't",
    "doesn't",   "didn't",    "won't",      "can't",     "cost",     "costs",   "pay",
    "pays",      "paid",      "buy",        "buys",      "bought",   "sell",    "sells",
    "sold",      "called",    "call",       "calls",     "named",    "go",      "goes",
    "went",      "gone",      "going",      "come",      "comes",    "came",    "coming",
    "leave",     "leaves",    "left",       "leaving",   "start",    "starts",  "begin",
    "begins",    "began",     "begun",      "end",       "ends",     "open",    "opens",
    "close",     "closes",    "take",       "takes",     "took",     "taken",   "taking",
    "make",      "makes",     "made",       "get",       "gets",     "got",     "give",
    "gives",     "gave",      "given",      "say",       "says",     "said",    "tell",
    "tells",     "told",      "ask",        "asks",      "know",     "knows",   "knew",
    "known",     "think",     "thinks",     "thought",   "see",      "sees",    "saw",
    "seen",      "run",       "runs",       "ran",       "running",  "live",    "lives",
    "stay",      "stays",     "need",       "needs",     "want",     "wants",   "keep",
    "keeps",     "kept",      "put",        "puts",      "set",      "sets",    "bring",
    "brings",    "brought",   "meet",       "meets",     "met",      "turn",    "turns",
    "weigh",     "weighs",    "measure",    "measures",  "expire",   "expires", "arrive",
    "arrives",   "depart",    "departs",    "last",      "lasts",    "due",     "born",
    "find",      "finds",     "found",      "read",      "reads",    "write",   "writes",
    "wrote",     "written",   "speak",      "speaks",    "spoke",    "spoken",  "grow",
    "grows",     "grew",      "grown",      "hold",      "holds",    "held",    "stand",
    "stands",    "stood",     "sit",        "sits",      "sat",      "lie",     "lies",
    "lay",       "hang",      "hangs",      "hung",      "use",      "uses",    "works",
    "like",      "likes",     "love",       "loves",     "hate",     "hates",   "prefer",
    "prefers",   "try",       "tries",      "help",      "helps",    "let",     "lets",
    "seem",      "seems",     "feel",       "feels",     "felt",     "become",  "becomes",
    "became",    "lose",      "lost",       "win",       "wins",     "won",     "send",
    "sends",     "sent",      "spend",      "spends",    "spent",    "eat",     "eats",
    "ate",       "drink",     "drinks",     "drank",     "sleep",    "sleeps",  "slept",
    "cook",      "cooks",     "show",       "shows",     "shown",    "fall",    "falls",
    "fell",      "rise",      "rises",      "rose",      "teach",    "teaches", "taught",
    "learn",     "learns",    "play",       "plays",     "move",     "moves",   "stop",
    "stops",     "wait",      "waits",      "walk",      "walks",    "add",     "adds",
    "book",      "happen",    "happens",    "look",      "looks",    "suggest", "suggests",
    "wear",      "wears",     "wore",       "worn",      "lead",     "leads",   "mean",
    "means",     "meant",     "covers",     "contains",  "includes", "equals",  "reach",
    "reaches",   "serves",    "fits",       "fit",       "grew",     "belong",  "belongs",
    "hear",      "hears",     "heard",      "draw",      "draws",    "drew",    "drawn",
    "cut",       "cuts",      "break",      "breaks",    "broke",    "broken",  "choose",
    "chose",     "chosen",    "sing",       "sings",     "sang",     "visit",   "visits",
    "fly",       "flies",     "flew",       "flown",     "drive",    "drives",  "drove",
    "rang",      "ring",      "rings",      "build",     "built",    "bear",    "carry",
    "carries",   "translate", "translates", "repeat",    "mix",      "remind",  "plan",
    "swam",      "threw",     "throw",      "throws",    "caught",   "catch",   "forget",
    "forgot",    "forgotten", "followed",   "becoming",  "getting",  "making",  "using",
    "living",    "working",   "looking",    "insists",   "insist",   "fade",    "fades",
    "celebrate", "prepare",   "offer"};
// Verbs that are nouns behind a determiner: "the cost", "my last move".
inline constexpr std::string_view kNounsToo[] = {
    "cost",  "call",   "play",  "drink", "walk",  "visit",  "plan",  "book",   "look",  "help",
    "show",  "start",  "end",   "cut",   "need",  "use",    "move",  "stop",   "offer", "drive",
    "run",   "works",  "costs", "plans", "plays", "drinks", "walks", "visits", "calls", "needs",
    "first", "second", "third", "last",  "next",  "early",  "late",  "little", "few",   "half"};
// Singular nouns that begin a terse sentence without a determiner: "Rent is due on the 5th."
inline constexpr std::string_view kPlainNouns[] = {
    "rent",      "deadline", "password",  "budget",      "flight",  "dinner",    "lunch",
    "breakfast", "deposit",  "salary",    "birthday",    "address", "price",     "invoice",
    "gate",      "room",     "meeting",   "appointment", "train",   "departure", "arrival",
    "checkout",  "delivery", "code",      "pin",         "order",   "ticket",    "phone",
    "office",    "school",   "insurance", "tuition"};
// "bed", "shed" and words that look like a past form and are things.
inline constexpr std::string_view kNounsInEd[] = {"bed",  "seed", "weed", "shed", "breed",  "speed",
                                                  "need", "feed", "deed", "reed", "hundred"};
inline constexpr std::string_view kNounsInIng[] = {
    "meeting",  "building", "wedding",   "painting", "parking", "ceiling", "evening",
    "morning",  "training", "booking",   "reading",  "lesson",  "heating", "housing",
    "lighting", "cleaning", "spring",    "ring",     "string",  "king",    "wing",
    "clothing", "shipping", "screening", "hearing"};
// As the last word of a phrase these name nothing.
inline constexpr std::string_view kVagueNouns[] = {
    "thing",     "things",  "time",     "times",   "day",      "days",    "way",      "ways",
    "bit",       "lot",     "lots",     "part",    "parts",    "week",    "weeks",    "year",
    "years",     "month",   "months",   "morning", "mornings", "evening", "evenings", "afternoon",
    "night",     "nights",  "hour",     "hours",   "minute",   "minutes", "number",   "numbers",
    "people",    "side",    "kind",     "sort",    "piece",    "case",    "end",      "middle",
    "beginning", "rest",    "place",    "point",   "word",     "words",   "moment",   "while",
    "matter",    "reason",  "fact",     "man",     "woman",    "person",  "question", "idea",
    "example",   "lots",    "total",    "amount",  "couple",   "pair",    "set",      "half",
    "quarter",   "weekend", "weekends", "noon",    "midnight", "o'clock", "user",     "assistant",
    "others",    "sense",   "use",      "help",    "thanks",   "course",  "yours",    "degrees",
    "metres",    "litres",  "men",      "women",   "persons",  "hand",    "hands",    "line",
    "lines",     "top",     "bottom"};
inline constexpr std::string_view kAdjectives[] = {
    "first",    "last",      "second",    "third",     "next",      "early",  "late",   "little",
    "few",      "half",      "entire",    "double",    "good",      "great",  "nice",   "small",
    "big",      "large",     "warm",      "cold",      "hot",       "old",    "new",    "quiet",
    "happy",    "sad",       "true",      "false",     "wrong",     "right",  "better", "best",
    "worse",    "worst",     "high",      "low",       "tall",      "short",  "wide",   "deep",
    "thick",    "thin",      "heavy",     "light",     "red",       "green",  "blue",   "white",
    "black",    "free",      "full",      "empty",     "sure",      "able",   "ready",  "busy",
    "late",     "different", "same",      "possible",  "important", "easy",   "hard",   "difficult",
    "clear",    "safe",      "beautiful", "wonderful", "lovely",    "fine",   "nearly", "similar",
    "enormous", "round",     "dry",       "wet",       "clean",     "dirty",  "strong", "weak",
    "soft",     "loud",      "fast",      "slow",      "young",     "own",    "whole",  "main",
    "real",     "only",      "cheap",     "expensive", "lower",     "higher", "larger", "smaller",
    "older",    "younger",   "longer",    "shorter",   "square",    "afraid"};
// "is called", "is": a name behind them is that of the subject.
inline constexpr std::string_view kNaming[] = {"is",    "are", "was",   "were", "called",
                                               "named", "be",  "reads", "says", "spelled"};
// Before a name these say who it is.
inline constexpr std::string_view kRelations[] = {
    "sister",      "brother",     "mother",    "father",    "son",       "daughter",  "wife",
    "husband",     "partner",     "friend",    "colleague", "boss",      "neighbour", "neighbor",
    "cousin",      "aunt",        "uncle",     "dentist",   "doctor",    "teacher",   "landlord",
    "landlady",    "client",      "assistant", "cat",       "dog",       "nephew",    "niece",
    "grandmother", "grandfather", "manager",   "plumber",   "carpenter", "lawyer",    "editor",
    "author",      "company",     "city",      "street"};

// Chinese, before a noun phrase.
inline constexpr std::string_view kChineseLeads[] = {
    "近",   "我们家的", "我们的", "我们", "我的", "我",   "他的", "她的", "它的",   "你的",
    "您的", "他们的",   "咱们",   "另外", "其实", "那么", "那个", "那",   "这个",   "这",
    "今天", "明天",     "昨天",   "现在", "以后", "目前", "今年", "去年", "明年",   "后年",
    "上次", "下次",     "最近",   "每次", "每天", "每月", "每年", "每周", "每个月", "记得",
    "记住", "不对",     "对了",   "好的", "还有", "另有", "一个", "一只", "一家",   "一条",
    "一本", "一张",     "一份",   "一间", "一台", "一位", "一杯", "一共", "所有",   "因为",
    "所以", "但是",     "可是",   "不过", "如果", "而且", "然后", "大概", "大约",   "的",
    "是",   "约",       "共"};
// Behind a noun phrase: verbs, prepositions and measures between it and the value.
inline constexpr std::string_view kChineseTails[] = {
    "每学期", "每个学期", "每季度", "每个季度", "每小时", "每人", "是",   "叫",   "叫做",
    "叫作",   "名叫",     "为",     "在",       "要",     "有",   "了",   "着",   "过",
    "花",     "花了",     "用了",   "用",       "约",     "共",   "一共", "总共", "做",
    "名",     "姓",       "到",     "改到",     "改成",   "改为", "定在", "定于", "放在",
    "搬到",   "住在",     "从",     "于",       "按",     "等于", "达到", "大概", "大约",
    "左右",   "差不多",   "只",     "只要",     "只有",   "只需", "就",   "才",   "都",
    "也",     "还",       "又",     "再",       "最",     "很",   "更",   "已经", "每月",
    "每个月", "每年",     "每天",   "每周",     "每次",   "每",   "个",   "的",   "得",
    "地",     "农历",     "阳历",   "公历",     "需要",   "可以", "大",   "小",   "高",
    "长",     "宽",       "重",     "走路",     "坐车",   "开车", "今年", "去年", "明年",
    "今天",   "明天",     "昨天",   "下个",     "上个",   "这个", "上午", "下午", "晚上",
    "早上",   "中午",     "第",     "截止",     "截至",   "到期", "付",   "交",   "付了",
    "交了",   "买了",     "卖了",   "打了",     "喝",     "吃",   "说",   "和",   "跟",
    "与",     "给",       "至",     "不到",     "超过",   "至少", "最多", "应该", "应该是",
    "之前",   "以前",     "凌晨",   "比",       "把",     "被",   "让",   "将",   "会",
    "能",     "想",       "看",     "去",       "来",     "差",   "零",   "近"};
// No noun phrase holds these: what matters begins behind them.
inline constexpr std::string_view kChineseNotNoun[] = {
    "我家", "我们家", "要求", "们",   "我",   "你",   "您",   "他",   "她",   "它",   "了",
    "着",   "过",     "就",   "都",   "也",   "很",   "不",   "没",   "把",   "被",   "给",
    "让",   "能",     "想",   "说",   "吗",   "呢",   "吧",   "啊",   "呀",   "啦",   "因为",
    "所以", "如果",   "可以", "应该", "已经", "还",   "才",   "再",   "又",   "只",   "去",
    "来",   "在",     "从",   "离",   "是",   "有",   "要",   "会",   "叫",   "和",   "跟",
    "对",   "向",     "到",   "写",   "看",   "买",   "送",   "做",   "拿",   "放",   "这",
    "那",   "哪",     "怎",   "什么", "一起", "一样", "于是", "然后", "但",   "而",   "或",
    "与",   "及",     "切",   "选",   "念",   "画",   "讲",   "听",   "喜欢", "觉得", "建议",
    "听说", "需要",   "帮",   "请",   "用",   "每",   "最",   "更",   "太",   "更新", "盖上",
    "泡",   "煮",     "拍",   "寄",   "开",   "先",   "别",   "等",   "换",   "像"};
// Nouns that hold one of those characters; any of them may end a noun phrase.
inline constexpr std::string_view kChineseWhole[] = {
    "年会",   "首付",   "预付",   "邮购",   "会议",   "会员",   "会场",   "会计", "对象",
    "对面",   "用品",   "用户",   "作业",   "做法",   "讲座",   "看法",   "画册", "画室",
    "画展",   "国画",   "油画",   "动画",   "想法",   "说明书", "太太",   "太阳", "先生",
    "请假条", "开关",   "听力",   "等级",   "不动产", "都市",   "更衣室", "就业", "能量",
    "能力",   "机会",   "音乐会", "朗读会", "晚会",   "宴会",   "聚会",   "协会", "班会",
    "选票",   "选手",   "看台",   "寄存柜", "送货单", "要点",   "和面",   "买卖", "念珠",
    "换热器", "写字楼", "写字台", "开水",   "开支",   "开工",   "是非",   "有机", "所有权",
    "来源",   "未来",   "在线",   "过敏",   "过户",   "过程",   "通过率", "只数", "还款",
    "还书",   "说法",   "小说",   "把手",   "拖把",   "被子",   "棉被",   "给水", "每日",
    "别墅",   "别针",   "级别",   "性别",   "拿铁",   "像素",   "图像",   "泡面", "泡菜",
    "煮锅",   "拍卖",   "切片",   "盖子",   "瓶盖",   "向导",   "方向",   "跟班", "及格",
    "最终稿"};
inline constexpr std::string_view kChineseVague[] = {
    "打算",   "时候", "东西", "事情", "地方", "时间", "今天", "明天",   "现在", "以后", "以前",
    "之后",   "之前", "大家", "自己", "别人", "有人", "一点", "一些",   "一下", "一次", "一般",
    "实际上", "例如", "比如", "其中", "第一", "第二", "方面", "样子",   "问题", "办法", "里面",
    "外面",   "上面", "下面", "后面", "前面", "旁边", "中间", "早上",   "晚上", "下午", "上午",
    "中午",   "周末", "最后", "另外", "走路", "暂时", "其他", "个周末", "星期", "礼拜", "春天",
    "夏天",   "秋天", "冬天", "这里", "那里", "孩子", "每月", "每天",   "每年", "安全", "速度",
    "结果",   "今年", "去年", "明年", "刚才", "马上", "一共"};
// A noun phrase of Chinese ends with one of these; what ends otherwise is as likely a verb.
inline constexpr std::string_view kChineseNounEnds =
    "租费钱款金价税薪资币账单据票证照卡号码名址话机箱书册文章诗词信件表图画片报笔纸房屋楼层室厅厨间"
    "门"
    "窗台院园区街路桥站港场馆店铺厂司校班级课题会议赛展演剧影歌曲琴节日期车船铁人师生员工友妈爸爷奶"
    "公婆"
    "兄弟姐妹哥嫂叔伯姑姨舅女儿子孩妻夫客户东邻居家猫狗鱼鸟花草树苗果菜饭面粥汤茶酒啡糖盐油醋酱肉蛋"
    "米饼"
    "糕药剂病牙膝腰胃压型衣裤鞋帽裙巾伞镜锅碗盘杯壶刀桌椅床柜架灯扇炉网群令重高龄同险划目务算扣率"
    "例数"
    "量格本序统库夹山江河湖海岛城市国度距译训习读品物货源约诊术检查程所处局队组团社系科座位板墙砖"
    "帘医"
    "亲筝线管锁匙柴胶墨布毯毛针鼓舞戏稿集刊志版务保奖学仓栏梯暖炭炉厕浴缸盆龙塔寺庙亭碑址舱轮胎油"
    "箱付";
// Between what a clause speaks of and what it says of it.
inline constexpr std::string_view kChineseCopulas[] = {
    "是",   "在",   "叫",   "为",   "有",     "到期", "改到", "改成",
    "要",   "定在", "放在", "搬到", "每个月", "每月", "每年", "每天",
    "已经", "一共", "需要", "花了", "签到",   "等于", "开在", "朝"};
// Right before a name that is the subject's.
inline constexpr std::string_view kChineseNaming[] = {"是", "叫",   "叫做", "叫作", "名叫",
                                                      "为", "取名", "起名", "改成", "叫“"};

}  // namespace liubai::memory::words
