#include "tools/needle_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/text.h"

namespace liubai::tools {
namespace {

// Of one subject: {0} what is spoken of, then what is said of it, then a remark.
struct Subject {
  std::string_view things[7];
  std::string_view says[7];
  std::string_view remarks[7];
};

constexpr Subject kEnglish[] = {
    {{"the kitchen garden", "the row of beans", "the old pear tree", "the compost heap",
      "the bed of thyme", "the gravel path", "the cold frame"},
     {"needs very little care at this time of year", "was laid out along the southern wall",
      "recovers quickly after a dry spell", "attracts more bees than anyone had expected",
      "looks best in the first light of the day", "is watered from the rain barrel",
      "had to be moved a little to the left"},
     {"and the soil around it stays loose", "while the shade of the hedge keeps it cool",
      "which is why the neighbours often stop to look", "although the slugs are patient",
      "so the work is done before breakfast", "and nobody minds the smell of wet leaves",
      "as gardeners in the valley have always done"}},
    {{"the river", "the weir below the mill", "the reed bank", "the shallow ford",
      "the wooden landing stage", "the heron's pool", "the flood meadow"},
     {"changes its colour after heavy rain", "carries fine sand from the hills",
      "is quiet in the middle of the week", "freezes only in the hardest winters",
      "has been measured by the same society for decades", "widens where the alders begin",
      "can be heard from the upper road"},
     {"and the fish keep to the deep side", "so that small boats have to wait",
      "while the swallows hunt above it", "although the maps show it differently",
      "and the grass there is never cut early", "which makes the crossing slow but pleasant",
      "as the older walkers like to explain"}},
    {{"the carpenter's bench", "a well-kept plane", "the smell of fresh shavings",
      "the drawer with the chisels", "a joint without glue", "the treadle lathe",
      "the rack of clamps"},
     {"takes up most of the room by the window", "shows how the wood was grown",
      "rewards slow and even work", "was built from a single beam of ash",
      "is cleaned with an old brush every evening", "needs an edge that is sharp but not thin",
      "makes a beginner patient"},
     {"and the light falls on it from the side", "although dust settles everywhere",
      "so mistakes are seen at once", "while the kettle hums on the stove",
      "which saves a good deal of sanding later", "and oil is used more often than paint",
      "as every apprentice is told on the first morning"}},
    {{"a slow bread dough", "the copper pan", "a soup of roots", "the jar of preserved lemons",
      "a plain pastry", "the stone oven", "the shelf of dried herbs"},
     {"tastes better on the second day", "should rest under a linen cloth",
      "is best made in a large quantity", "keeps its warmth for most of an evening",
      "needs nothing but salt and time", "was once a dish for long winters",
      "gives the whole house a pleasant smell"},
     {"and guests usually ask for more", "although the recipe sounds too simple",
      "so the timing hardly matters", "while the table is being laid",
      "which surprises people who cook in a hurry", "and the crust should sound hollow",
      "as cookbooks of the last century describe it"}},
    {{"the small observatory", "the dome", "a clear night", "the catalogue of double stars",
      "the planet's faint ring", "the lens cabinet", "the log of the observers"},
     {"is open to visitors when the sky allows it", "turns on a rail that is greased in spring",
      "teaches people to look twice", "was drawn by hand and then engraved",
      "appears sharper when the air is still", "has lost none of its use",
      "keeps older habits alive"},
     {"and red lamps spare the eyes", "although clouds come in from the coast",
      "so conversations are held in whispers", "while the clock drive ticks softly",
      "which is more than one sees from the city", "and patience matters more than glass",
      "as the members repeat at every meeting"}},
    {{"the reading room", "the card index", "a bound volume of maps", "the quiet staircase",
      "the newspaper table", "the bindery in the cellar", "the long oak shelf"},
     {"is busiest in the late afternoon", "still helps when the screens are dark",
      "smells faintly of leather and dust", "was given by a family of printers",
      "holds more than the catalogue says", "draws students during examinations",
      "has windows to the north only"},
     {"and the chairs have been repaired many times", "although few people ask for it",
      "so the paper does not fade", "while the rain runs down the glass",
      "which the librarians mention with some pride", "and pencils are allowed but pens are not",
      "as visiting scholars soon learn"}},
    {{"the branch line", "the signal box", "the morning train", "the station clock", "the viaduct",
      "the waiting room", "the goods yard"},
     {"follows the curve of the hillside", "was painted green and cream again",
      "slows down before the tunnel", "serves three villages and a quarry",
      "is kept by volunteers at weekends", "offers a wide view over the fields",
      "has run without a break since the repairs"},
     {"and children wave from the bridge", "although the timetable is thin in winter",
      "so commuters know one another by sight", "while milk cans stand in the shade",
      "which photographers appreciate in autumn", "and the brass is polished regularly",
      "as a plaque beside the door explains"}},
    {{"the weather on the plateau", "a ridge of high pressure", "the first frost",
      "the afternoon wind", "a bank of fog", "the long summer drought", "light snow"},
     {"arrives later than the forecast says", "changes within a single hour",
      "is announced by the behaviour of the crows", "dries the washing in no time",
      "makes distant hills seem close", "settles in the hollows first",
      "rarely lasts beyond the weekend"},
     {"and farmers plan their work around it", "although the barometer hardly moves",
      "so windows are opened early", "while the sea remains grey and calm",
      "which pleases those who dry fruit", "and the roads are swept soon afterwards",
      "as records from the abbey confirm"}},
    {{"the potter's wheel", "a grey glaze", "the kiln", "a bowl with a narrow foot",
      "the clay from the river bank", "the drying shelf", "a cracked jug"},
     {"asks for steady hands and little force", "turns a deeper colour in the fire",
      "has to cool for two days", "fits comfortably between the palms",
      "is kneaded until no air is left", "tells more about the maker than the mark does",
      "stands near the door where it is dry"},
     {"and no two pieces are quite alike", "although the shape is centuries old",
      "so nothing is opened too early", "while wet sponges wait in a bucket",
      "which gives the rim its softness", "and the shards are used for paths",
      "as one sees in many country museums"}},
    {{"the mountain hut", "the upper path", "a cairn of flat stones", "the cable over the gorge",
      "the summer pasture", "the stream crossing", "the last larch forest"},
     {"is reached after a steady climb", "offers shelter from sudden storms",
      "marks the way when the mist is low", "was restored with local timber",
      "is shared by hikers and shepherds", "feels longer on the way down",
      "opens as soon as the snow has gone"},
     {"and the water there is safe to drink", "although the last bend is steep",
      "so most groups rest for a while", "while marmots whistle from the rocks",
      "which makes the evening meal welcome", "and bells can be heard from far away",
      "as the wardens remind everyone"}}};

constexpr std::string_view kEnglishOpeners[] = {"",
                                                "",
                                                "",
                                                "",
                                                "In most years ",
                                                "On quiet days ",
                                                "As a rule ",
                                                "To begin with, ",
                                                "Seen from a distance, ",
                                                "Towards evening ",
                                                "Now and then ",
                                                "For many visitors "};

constexpr Subject kChinese[] = {
    {{"菜园", "那排豆架", "老梨树", "堆肥的角落", "一畦百里香", "碎石小路", "育苗的木框"},
     {"在这个时节几乎不用照料", "沿着南墙一字排开", "旱天过后恢复得很快", "引来的蜜蜂比预想的多",
      "在清晨的光线里最好看", "用雨水桶里的水浇灌", "后来往左边挪了一点"},
     {"周围的泥土一直很松软", "树篱的阴影让它保持凉爽", "邻居们常常停下来看看", "只是蛞蝓很有耐心",
      "所以活儿在早饭前就做完了", "谁也不介意湿树叶的气味", "山谷里的园丁向来如此"}},
    {{"这条河", "磨坊下面的水坝", "芦苇岸", "浅浅的渡口", "木头码头", "苍鹭常去的水潭",
      "河边的草甸"},
     {"大雨之后颜色会变", "从山里带来细沙", "在平常的日子里很安静", "只有最冷的冬天才结冰",
      "几十年来一直由同一个协会测量", "到了赤杨树那里就变宽了", "在上面的路上也能听见水声"},
     {"鱼儿都待在深的一侧", "小船因此要等一会儿", "燕子在上方捕食", "虽然地图上画得不一样",
      "那里的草从不早割", "过河虽慢却很愉快", "年长的散步者喜欢这样解释"}},
    {{"木匠的工作台", "一把保养得好的刨子", "新刨花的气味", "装凿子的抽屉", "不用胶水的榫头",
      "脚踏车床", "挂夹具的架子"},
     {"占了窗边大部分地方", "能看出木头是怎样长成的", "要慢慢地、均匀地做才好",
      "是用一整根白蜡木做的", "每天傍晚都用旧刷子清扫", "需要锋利而不太薄的刃口",
      "让初学者变得有耐心"},
     {"光线从侧面照过来", "虽然到处都会落灰", "出了差错一眼就能看见", "炉子上的水壶轻轻作响",
      "这样后面可以少打磨许多", "上油的时候比上漆多", "学徒第一天早上都会听到这些话"}},
    {{"慢慢发酵的面团", "铜锅", "根菜汤", "一罐腌柠檬", "朴素的点心", "石头烤炉", "放干香草的架子"},
     {"到了第二天味道更好", "应当盖着麻布静置", "一次多做一些最合适", "大半个晚上都是热的",
      "只需要盐和时间", "从前是漫长冬天里的菜", "让整个屋子都香起来"},
     {"客人通常还想再要", "虽然做法听上去太简单", "所以时间早晚关系不大", "桌子也正好摆起来了",
      "着急做饭的人会觉得意外", "外皮敲起来应当是空响", "上个世纪的食谱就是这样写的"}},
    {{"小天文台", "圆顶", "晴朗的夜晚", "双星目录", "行星淡淡的光环", "放镜片的柜子", "观测日志"},
     {"天气好的时候对外开放", "沿着春天上过油的轨道转动", "教人多看一眼", "先用手画再刻成版",
      "空气平静时显得更清楚", "至今仍然有用", "保留了老习惯"},
     {"红色的灯不伤眼睛", "虽然海边常有云过来", "大家说话都压低声音", "钟表装置轻轻地走着",
      "比在城里看到的多得多", "耐心比镜片更要紧", "会员们每次聚会都这么说"}},
    {{"阅览室", "卡片目录", "一册装订好的地图", "安静的楼梯", "看报的长桌", "地下室的装订间",
      "长长的橡木书架"},
     {"下午晚些时候人最多", "停电的时候还能派上用场", "带着淡淡的皮革味", "是一家印刷世家捐赠的",
      "里面的东西比目录上写的多", "考试期间坐满了学生", "只有朝北的窗户"},
     {"椅子已经修过许多次", "虽然很少有人来借", "纸张因此不会褪色", "雨水顺着玻璃流下来",
      "管理员说起来有些自豪", "可以用铅笔，不能用钢笔", "来访的学者很快就知道了"}},
    {{"支线铁路", "信号房", "早班火车", "车站的大钟", "高架桥", "候车室", "货场"},
     {"顺着山坡转弯", "又漆成了绿色和米色", "进隧道之前会减速", "连着几个村子和一座采石场",
      "周末由志愿者看管", "可以望见大片田野", "修好以后一直没有停过"},
     {"孩子们在桥上挥手", "虽然冬天班次很少", "坐车的人彼此都认得", "奶桶放在阴凉处",
      "秋天有人专门来拍照", "铜件常常擦得很亮", "门边的牌子上写得很清楚"}},
    {{"高原上的天气", "一道高压脊", "第一场霜", "午后的风", "一片雾", "漫长的夏旱", "小雪"},
     {"比预报来得晚", "一个小时之内就变了", "看乌鸦的样子就能知道", "很快就把衣服吹干",
      "让远山显得很近", "先落在低洼的地方", "很少拖到周末以后"},
     {"农家的活计都要看它", "虽然气压表几乎不动", "窗户早早就打开了", "海面仍旧灰而平静",
      "晒果干的人很高兴", "路很快就扫干净了", "修道院的记录也是这样写的"}},
    {{"陶工的转轮", "灰色的釉", "窑", "一只小圈足的碗", "河岸的黏土", "晾坯的架子", "裂了的水罐"},
     {"要稳的手，不要大的力气", "烧过以后颜色更深", "要凉上好几天", "正好捧在两手之间",
      "要揉到没有气泡为止", "比底款更能说明是谁做的", "放在门口干燥的地方"},
     {"没有两件完全一样", "虽然样子已经很古老", "所以从不提早开窑", "湿海绵在桶里等着",
      "边缘因此显得柔和", "碎片用来铺路", "在许多乡间博物馆里都能见到"}},
    {{"山上的小屋", "上面的那条路", "扁石头垒的路标", "峡谷上的索道", "夏季牧场", "过溪的地方",
      "最后一片落叶松林"},
     {"要稳稳地爬一段才到", "可以躲避突来的风雨", "雾低的时候能指路", "是用本地木料修好的",
      "登山的人和牧人都用", "下山的时候觉得更长", "雪一化就开放"},
     {"那里的水可以直接喝", "虽然最后一个弯很陡", "大多数人都会歇一会儿", "旱獭在石头间叫着",
      "晚饭因此格外香", "很远就能听见铃声", "护林员总是这样提醒大家"}}};

constexpr std::string_view kChineseOpeners[] = {
    "",           "",       "",           "",           "多数年份", "平日里，",
    "一般来说，", "首先，", "远远看去，", "傍晚时分，", "有时候，", "在不少人看来，"};

// Of the needles. Nothing of these is in the filler.
constexpr std::string_view kEnglishNames[] = {"Oriana", "Bastian", "Keziah",  "Lorcan",
                                              "Tamsin", "Anselm",  "Ottilie", "Fergus",
                                              "Mirela", "Caspian", "Linnea",  "Evander"};
constexpr std::string_view kEnglishRooms[] = {"boat shed",  "print room",   "map archive",
                                              "glasshouse", "music school", "ferry office"};
constexpr std::string_view kEnglishObjects[] = {
    "a blue teapot",       "an empty violin case", "a wool sock",
    "a tin of buttons",    "a hollow book",        "a lantern",
    "a birdhouse",         "a walking boot",       "a sewing basket",
    "a cracked flowerpot", "a biscuit tin",        "a tobacco pouch"};
constexpr std::string_view kEnglishTowns[] = {"Lisbon", "Bergen", "Krakow", "Toledo",
                                              "Ghent",  "Tartu",  "Verona", "Utrecht",
                                              "Split",  "Malmo",  "Porto",  "Graz"};
constexpr std::string_view kEnglishGoods[] = {"amber", "cork",   "saffron",
                                              "slate", "walnut", "silk"};

constexpr std::string_view kChineseNames[] = {"欧阳澜", "司徒远", "慕容晴", "诸葛宁",
                                              "尉迟松", "上官雪", "夏侯禾", "皇甫岳",
                                              "令狐青", "宇文舟", "端木琳", "百里川"};
constexpr std::string_view kChineseRooms[] = {"船库",     "印刷间",   "地图档案室",
                                              "玻璃暖房", "音乐学校", "渡轮办公室"};
constexpr std::string_view kChineseObjects[] = {"蓝色茶壶", "空琴盒", "羊毛袜子", "纽扣铁罐",
                                                "挖空的书", "马灯",   "鸟屋",     "登山靴",
                                                "针线篮",   "破花盆", "饼干盒",   "烟丝袋"};
constexpr std::string_view kChineseTowns[] = {"泉州", "大理", "敦煌", "绍兴", "喀什", "阆中",
                                              "凤凰", "漳州", "平遥", "丽江", "徽州", "承德"};
constexpr std::string_view kChineseGoods[] = {"琥珀", "软木", "藏红花", "石板", "核桃", "丝绸"};

template <std::size_t N>
std::vector<std::string_view> Shuffled(const std::string_view (&list)[N], std::mt19937& random) {
  std::vector<std::string_view> out(std::begin(list), std::end(list));
  for (std::size_t i = out.size(); i > 1; --i) std::swap(out[i - 1], out[random() % i]);
  return out;
}

double Away(double depth, double by) {
  const double at = depth + by;
  return at > 1 ? at - 1 : at;
}

std::string Capitalised(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 32);
  return text;
}

}  // namespace

std::string FillerSentences::Next() {
  // Drawn one after the other: the order in which arguments are evaluated is not fixed.
  std::size_t draw[5];
  for (std::size_t& value : draw) value = Below(1 << 20);
  const auto& subjects = chinese_ ? kChinese : kEnglish;
  // A subject is stayed with for a while.
  if (draw[0] % 3 == 0) last_subject_ = (draw[0] / 3) % std::size(kEnglish);
  const Subject& subject = subjects[last_subject_];
  const std::string_view thing = subject.things[draw[1] % 7], says = subject.says[draw[2] % 7],
                         remark = subject.remarks[draw[3] % 7];
  if (chinese_) {
    return fmt::format("{}{}{}，{}。", kChineseOpeners[draw[4] % std::size(kChineseOpeners)], thing,
                       says, remark);
  }
  return Capitalised(fmt::format(
      "{}{} {}, {}.", kEnglishOpeners[draw[4] % std::size(kEnglishOpeners)], thing, says, remark));
}

Haystack MakeHaystack(bool chinese, std::uint32_t seed, double depth) {
  std::mt19937 random(seed ^ 0x5eed);
  const auto names = chinese ? Shuffled(kChineseNames, random) : Shuffled(kEnglishNames, random);
  const auto rooms = chinese ? Shuffled(kChineseRooms, random) : Shuffled(kEnglishRooms, random);
  const auto objects =
      chinese ? Shuffled(kChineseObjects, random) : Shuffled(kEnglishObjects, random);
  const auto towns = chinese ? Shuffled(kChineseTowns, random) : Shuffled(kEnglishTowns, random);
  const auto goods = chinese ? Shuffled(kChineseGoods, random) : Shuffled(kEnglishGoods, random);
  const auto number = [&] { return fmt::format("{}", 10000 + random() % 90000); };
  const auto letters = [&] {
    const auto a = static_cast<char>('A' + random() % 26);
    const auto b = static_cast<char>('A' + random() % 26);
    return fmt::format("{}{}-{}", a, b, 1000 + random() % 9000);
  };
  const auto anywhere = [&] { return static_cast<double>(random() % 1000) / 1000; };
  const auto bare = [&](std::string_view object) {  // "a blue teapot" is found as "blue teapot".
    return std::string(chinese ? object : object.substr(object.find(' ') + 1));
  };

  Haystack out;
  const auto hide = [&](std::string sentence, double place) {
    out.needles.push_back({std::move(sentence), place});
  };

  const std::string code = number();
  hide(
      fmt::format(fmt::runtime(chinese ? "我们{}的门禁码是{}。" : "The door code of our {} is {}."),
                  rooms[0], code),
      depth);
  out.questions.push_back({NeedleTask::kSingle,
                           fmt::format(fmt::runtime(chinese ? "我们{}的门禁码是多少？"
                                                            : "What is the door code of our {}?"),
                                       rooms[0]),
                           {code}});

  for (std::size_t i = 0; i < 6; ++i) {
    const double place = i == 0 ? depth : anywhere();
    hide(fmt::format(fmt::runtime(chinese ? "我们的朋友{}把备用钥匙藏在{}里。"
                                          : "Our friend {} keeps the spare key in {}."),
                     names[i], objects[i]),
         place);
  }
  out.questions.push_back(
      {NeedleTask::kDistractors,
       fmt::format(fmt::runtime(chinese ? "我们的朋友{}把备用钥匙藏在哪里？"
                                        : "Where does our friend {} keep the spare key?"),
                   names[0]),
       {bare(objects[0])}});

  NeedleQuestion values{
      NeedleTask::kValues,
      fmt::format(fmt::runtime(chinese ? "我们的朋友{}小时候、上大学时和结婚以后分别住在哪里？"
                                       : "Which cities did our friend {} live in as a child, as a "
                                         "student and after the wedding?"),
                  names[6]),
      {}};
  for (std::size_t i = 0; i < 3; ++i) {
    static constexpr std::string_view kWhen[][2] = {
        {"as a child", "小时候"}, {"as a student", "上大学时"}, {"after the wedding", "结婚以后"}};
    hide(fmt::format(fmt::runtime(chinese ? "我们的朋友{}{}住在{}。"
                                          : "Our friend {} lived, {}, in the city of {}."),
                     names[6], kWhen[i][chinese], towns[i]),
         Away(depth, static_cast<double>(i) / 3));
    values.references.emplace_back(towns[i]);
  }
  out.questions.push_back(std::move(values));

  NeedleQuestion queries{
      NeedleTask::kQueries,
      fmt::format(
          fmt::runtime(chinese ? "我们装{}的箱子编号是什么，装{}的箱子编号是什么？"
                               : "What are the numbers of our {} crate and of our {} crate?"),
          goods[0], goods[1]),
      {}};
  for (std::size_t i = 0; i < 4; ++i) {
    const std::string value = letters();
    const double place = i == 0 ? depth : i == 1 ? Away(depth, 0.5) : anywhere();
    hide(fmt::format(fmt::runtime(chinese ? "我们装{}的箱子，编号是{}。"
                                          : "The number of our {} crate is {}."),
                     goods[i], value),
         place);
    if (i < 2) queries.references.push_back(value);
  }
  out.questions.push_back(std::move(queries));
  return out;
}

std::vector<std::string> Paragraphs(const std::vector<std::string>& sentences,
                                    const std::vector<Needle>& needles, bool chinese,
                                    std::size_t per_paragraph) {
  const std::size_t n = sentences.size();
  std::vector<std::vector<std::string_view>> before(n + 1);
  for (const Needle& needle : needles) {
    before[static_cast<std::size_t>(std::lround(needle.place * static_cast<double>(n)))].push_back(
        needle.sentence);
  }
  std::vector<std::string> paragraphs;
  const auto add = [&](std::string_view sentence) {
    std::string& paragraph = paragraphs.back();
    if (!paragraph.empty() && !chinese) paragraph += ' ';
    paragraph += sentence;
  };
  for (std::size_t i = 0; i < n; ++i) {
    if (i % per_paragraph == 0) paragraphs.emplace_back();
    for (const std::string_view needle : before[i]) add(needle);
    add(sentences[i]);
  }
  if (paragraphs.empty()) paragraphs.emplace_back();
  for (const std::string_view needle : before[n]) add(needle);
  return paragraphs;
}

double ReferencesFound(const std::vector<std::string>& references, std::string_view answer) {
  const std::string folded = FoldNfkc(answer);
  double found = 0;
  for (const std::string& reference : references) {
    found += folded.find(FoldNfkc(reference)) != std::string::npos;
  }
  return references.empty() ? 0 : found / static_cast<double>(references.size());
}

}  // namespace liubai::tools
