#include "memory/kind_words.h"

#include <algorithm>

#include "core/text.h"
#include "memory/question_scan.h"

namespace liubai::memory {
namespace {

// English names of a kind are whole words, joined by '|', of which a plural is found, too; Chinese
// ones stand anywhere. Members are words to search for.
struct Kind {
  std::string_view names;
  std::string_view members;
};

constexpr Kind kKinds[] = {
    // House and home.
    {"furniture|furnishing|家具",
     "table desk chair sofa couch bed mattress bookshelf bookcase shelf dresser wardrobe cabinet "
     "stool bench nightstand armchair ottoman recliner crib IKEA 桌子 椅子 沙发 床 床垫 书架 柜子 "
     "衣柜 书桌 茶几"},
    {"appliance|家电|电器",
     "fridge refrigerator oven stove microwave toaster blender mixer dishwasher washer dryer "
     "vacuum "
     "kettle fryer cooker freezer 冰箱 烤箱 微波炉 洗衣机 吸尘器 电饭锅 空调 烘干机"},
    {"kitchen item|kitchenware|kitchen gadget|cookware|厨具",
     "pan pot skillet wok knife blender mixer toaster oven fryer kettle microwave "
     "锅 刀 碗 烤箱"},
    {"tool|工具", "hammer drill saw screwdriver wrench pliers ladder sander 锤子 电钻 螺丝刀 扳手"},
    {"chore|housework|家务",
     "laundry dishes vacuuming mopping dusting cleaning ironing trash sweeping 洗衣 洗碗 拖地 扫地 "
     "打扫 熨衣"},
    {"plant|植物",
     "fern succulent cactus orchid lily rose tulip basil mint rosemary snake ivy monstera pothos "
     "tomato seedling sapling 多肉 仙人掌 兰花 玫瑰 绿萝 月季 薄荷"},
    {"decor|decoration|装饰",
     "painting rug lamp vase curtain poster pillow candle mirror 画 地毯 灯 花瓶"},
    // Clothes.
    {"clothing|clothes|garment|outfit|item of clothing|衣服|服装",
     "shirt dress jacket coat sweater jeans pants trousers skirt blazer suit boots blouse hoodie "
     "scarf hat shorts leggings 衬衫 裙子 外套 大衣 毛衣 裤子 西装 帽子 围巾"},
    {"shoe|footwear|鞋",
     "sneakers boots sandals heels loafers slippers trainers Nike Adidas Converse flats 运动鞋 "
     "靴子 "
     "凉鞋 高跟鞋 拖鞋"},
    {"jewelry|jewellery|accessory|accessories|首饰",
     "ring necklace earrings bracelet watch pendant brooch scarf belt handbag 戒指 项链 耳环 手镯 "
     "手表"},
    // Food and drink.
    {"fruit|citrus|水果",
     "apple orange banana lemon lime grape mango peach pear berry strawberry blueberry pineapple "
     "melon cherry kiwi grapefruit plum 苹果 橙子 香蕉 柠檬 葡萄 芒果 桃 梨 草莓 西瓜"},
    {"vegetable|蔬菜",
     "tomato carrot lettuce spinach onion pepper cucumber potato broccoli kale zucchini bean pea "
     "cabbage 番茄 胡萝卜 白菜 菠菜 洋葱 黄瓜 土豆"},
    {"dessert|baked good|pastry|pastries|甜点|点心",
     "cake cookie pie brownie cupcake muffin tart croissant bread scone ice cream pudding "
     "cheesecake baguette 蛋糕 饼干 面包 冰淇淋 布丁"},
    {"dish|meal|food|recipe|cuisine|菜",
     "pasta pizza soup salad curry rice noodles stew chicken beef fish tofu sushi tacos burger "
     "sandwich dumplings lasagna ramen Italian Chinese Indian Thai Mexican Korean Ethiopian vegan "
     "面条 米饭 汤 饺子 火锅 鸡 牛肉 鱼 豆腐 川菜 粤菜"},
    {"drink|beverage|cocktail|饮料",
     "coffee tea juice beer wine whiskey gin vodka rum soda smoothie latte espresso martini "
     "margarita mojito 咖啡 茶 果汁 啤酒 红酒 奶茶"},
    {"grocery|groceries|grocery store|supermarket|超市",
     "Walmart Costco Trader Joe Whole Foods Kroger Publix Safeway Aldi Instacart Target 沃尔玛 "
     "盒马 "
     "永辉 山姆"},
    {"food delivery|delivery service|外卖",
     "DoorDash Uber Eats Grubhub Domino Instacart Postmates 美团 饿了么"},
    {"restaurant|餐厅|饭店",
     "diner bistro cafe brunch dinner lunch sushi steakhouse pizzeria 火锅店 面馆"},
    // Body and health.
    {"health|medical|健康|医疗",
     "Fitbit smartwatch blood pressure sugar glucose monitor hearing aid nebulizer inhaler "
     "thermometer CPAP insulin oxygen medication doctor clinic 血压 血糖 助听器 体温计 雾化器 药"},
    {"doctor|physician|specialist|medical appointment|医生|看病",
     "dermatologist dentist cardiologist ENT physician pediatrician surgeon therapist psychiatrist "
     "optometrist gynecologist appointment checkup diagnosed 牙医 皮肤科 内科 外科 眼科 体检"},
    {"illness|disease|symptom|sick|health issue|病",
     "flu cold fever infection cough migraine headache allergy bronchitis UTI sinusitis asthma "
     "diagnosed 感冒 发烧 咳嗽 头痛 过敏 流感"},
    {"injury|injuries|受伤",
     "sprained broke fracture torn ankle knee concussion bruise 扭伤 骨折 摔"},
    {"exercise|workout|fitness|fitness class|physical activity|运动|健身",
     "yoga gym running jogging swimming cycling biking hiking zumba pilates weights lifting "
     "treadmill spinning crossfit kickboxing 瑜伽 跑步 游泳 骑车 爬山 健身房 举重"},
    {"sport|sports event|game|match|tournament|比赛|球",
     "soccer football basketball baseball tennis golf hockey volleyball badminton swimming "
     "marathon triathlon race league playoffs championship 足球 篮球 网球 羽毛球 乒乓球 马拉松"},
    {"medication|medicine|supplement|药",
     "pill tablet vitamin antibiotic ibuprofen aspirin prescription insulin melatonin 维生素 "
     "抗生素 阿司匹林"},
    // People, their lives and events.
    {"relative|family member|family|relation|亲戚|家人",
     "cousin aunt uncle niece nephew sister brother mom mother dad father grandma grandmother "
     "grandpa grandfather son daughter wife husband in-law 表姐 表哥 阿姨 叔叔 姐姐 哥哥 妹妹 弟弟 "
     "妈妈 爸爸 奶奶 爷爷"},
    {"sibling|兄弟姐妹", "sister brother sisters brothers twin 姐姐 哥哥 妹妹 弟弟"},
    {"baby|babies|newborn|孩子|宝宝",
     "born birth pregnant twins boy girl son daughter adopted 出生 怀孕 双胞胎"},
    {"event|occasion|celebration|ceremony|party|milestone|喜事|庆祝",
     "wedding birthday graduation graduated anniversary funeral engagement baby shower bridesmaid "
     "married engaged promotion housewarming reunion bachelorette 婚礼 生日 毕业 结婚 订婚 葬礼 "
     "满月"},
    {"wedding|婚礼", "bride groom married marry bridesmaid vows reception ceremony 新娘 新郎 结婚"},
    {"holiday|festival|节日",
     "Christmas Thanksgiving Easter Halloween Diwali Hanukkah New Year Valentine Independence 春节 "
     "中秋 国庆 端午 元宵 圣诞"},
    {"charity|charity event|fundraiser|volunteer|volunteering|公益|慈善",
     "donate donated raised walk run gala auction shelter food bank fundraising marathon bake sale "
     "cleanup 捐款 义工 志愿者 义卖"},
    {"pet|animal|宠物|动物",
     "dog cat puppy kitten hamster rabbit parrot fish turtle bird guinea pig aquarium 狗 猫 兔子 "
     "鹦鹉 仓鼠 鱼 乌龟"},
    {"how old|older|younger|age|几岁|多大|年龄",
     "age aged old born birthday year-old turned turning thirties twenties forties 岁 生日 出生 "
     "年纪"},
    {"education|degree|studies|学历|学位|读书",
     "school college university bachelor master PhD degree graduated graduation associate diploma "
     "undergrad attended semester 高中 大学 本科 硕士 博士 毕业"},
    {"course|class|workshop|lecture|webinar|课程|讲座",
     "workshop lecture webinar seminar class course training certification bootcamp Coursera "
     "Udemy edX tutorial lesson 培训 讲座 研讨会 课 证书"},
    {"job|career|occupation|profession|employer|工作|职业",
     "engineer teacher nurse manager developer designer analyst lawyer accountant intern company "
     "startup promoted hired position role field 工程师 老师 护士 经理 公司 入职 升职"},
    {"business|startup|freelance|生意|创业",
     "contract client customer launch launched website logo revenue invoice sale sales product "
     "partnership funding investor order LLC 合同 客户 开业 订单 营业 投资"},
    {"project|项目",
     "project led leading lead team launched research thesis presented prototype built competition "
     "analysis 项目 带领 负责 团队"},
    {"publication|conference|paper|research|journal|论文|会议",
     "research field paper conference thesis study published journal poster academic professor lab "
     "learning working 论文 研究 领域 学术"},
    {"network|networking event|professional event|meetup|活动",
     "conference workshop summit meetup seminar panel expo convention networking 会议 峰会 沙龙"},
    // Things.
    {"device|gadget|electronics|electronic|设备|电子产品",
     "phone laptop tablet smartwatch camera headphones earbuds speaker TV monitor router iPad "
     "iPhone Kindle charger console Fitbit printer 手机 电脑 平板 耳机 相机 手表 音箱"},
    {"vehicle|car|bike|车",
     "car truck SUV sedan motorcycle bike bicycle scooter van Toyota Honda Ford Tesla BMW Civic "
     "Camry Mustang tires 汽车 摩托 自行车 电动车 丰田 本田 特斯拉"},
    {"instrument|musical instrument|乐器",
     "guitar piano violin drums ukulele keyboard flute saxophone bass cello trumpet harmonica "
     "Fender Yamaha Gibson 吉他 钢琴 小提琴 鼓 古筝 二胡 笛子"},
    {"gift|present|礼物",
     "gave bought birthday necklace book flowers gift card perfume mug toy 送 买"},
    {"luxury|designer|luxury item|奢侈品",
     "Gucci Prada Chanel Louis Vuitton Hermes Dior Burberry Rolex handbag 包 手表 香奈儿 爱马仕"},
    {"bag|luggage|包", "backpack suitcase handbag tote duffel purse carry-on 背包 行李箱 手提包"},
    {"book|novel|书",
     "novel read reading author finished memoir biography thriller series Kindle audiobook 小说 "
     "读完 "
     "作者"},
    {"movie|film|电影",
     "movie film watched cinema director Marvel Star Wars documentary 看了 导演 影院"},
    {"show|series|tv show|剧",
     "season episode series watching binge Netflix HBO Hulu finale 一季 一集 追剧"},
    {"streaming service|streaming|subscription|platform|流媒体|会员",
     "Netflix Hulu Disney HBO Amazon Prime Apple TV Peacock Paramount Spotify YouTube Audible "
     "subscribed trial 爱奇艺 优酷 腾讯视频 网易云"},
    {"magazine|newspaper|periodical|杂志|报纸",
     "New Yorker Times Economist National Geographic Vogue Forbes issue 读者 周刊"},
    {"social media|社交媒体",
     "Instagram Facebook Twitter TikTok YouTube LinkedIn Pinterest Snapchat hashtag challenge post "
     "posted followers shared vlog 微博 抖音 小红书 朋友圈 粉丝"},
    {"music|concert|music event|musical event|album|band|音乐|演唱会",
     "concert festival gig album band live jazz rock orchestra symphony singer tour vinyl EP "
     "演唱会 "
     "音乐节 专辑 乐队"},
    {"art|museum|gallery|exhibition|博物馆|展览|艺术",
     "museum gallery exhibit exhibition painting sculpture lecture tour art curator Met MoMA 画展 "
     "美术馆 博物馆 雕塑 展"},
    {"hobby|hobbies|pastime|爱好|兴趣",
     "painting photography knitting gardening baking chess reading hiking fishing pottery gaming "
     "woodworking collecting 画画 摄影 编织 园艺 下棋 钓鱼 收藏"},
    {"craft|art project|crafts|手工",
     "knit crochet sewing embroidery pottery scrapbook painting quilt woodworking 编织 刺绣 陶艺"},
    {"collection|collectible|收藏",
     "vinyl coins stamps figurines cards records rare vintage 邮票 硬币 手办"},
    {"board game|video game|游戏",
     "played playing PlayStation Xbox Switch Nintendo Catan chess Zelda Steam RPG hours 玩 主机 "
     "通关"},
    {"app|software|应用|软件", "app Duolingo Strava Notion Todoist Spotify Headspace 微信 支付宝"},
    {"camera|photography|摄影|相机", "Canon Nikon Sony lens tripod DSLR mirrorless 镜头 三脚架"},
    // Going about.
    {"trip|travel|vacation|journey|旅行|旅游",
     "trip flew flight visited travel hotel drove road vacation camping Airbnb cruise backpacking "
     "island beach 飞 旅行 酒店 自驾 露营"},
    {"airline|flight|航空|航班",
     "United Delta American JetBlue Southwest Spirit Emirates Lufthansa flew airport 国航 东航 "
     "南航"},
    {"country|countries|国家",
     "Japan China Italy France Spain Germany Mexico Canada Thailand India Brazil Greece Portugal "
     "Vietnam Korea Peru Egypt 日本 法国 意大利 德国 泰国 韩国 英国 美国"},
    {"city|cities|城市",
     "Paris London Tokyo York Chicago Boston Seattle Rome Barcelona Denver Austin 北京 上海 广州 "
     "深圳 "
     "成都 杭州 巴黎 东京"},
    {"national park|park|公园",
     "Yellowstone Yosemite Zion Grand Canyon trail hike camping 步道 森林"},
    {"accommodation|hotel|住宿", "hotel hostel Airbnb resort motel inn room suite 酒店 民宿 客栈"},
    {"transport|transportation|commute|public transport|交通|通勤",
     "bus train subway taxi Uber Lyft car bike tram metro walk 公交 地铁 出租车 火车 高铁"},
    {"outdoor activity|outdoor|camping|户外",
     "hiking camping kayaking fishing climbing biking skiing surfing rafting 徒步 露营 划船 攀岩 "
     "滑雪"},
    {"water sport|水上运动",
     "swimming surfing kayaking snorkeling diving paddleboarding 潜水 冲浪 划船"},
    {"place|property|house|home|apartment|房子|房产",
     "condo townhouse bungalow apartment bedroom viewing offer mortgage neighborhood rent lease "
     "公寓 "
     "卧室 租 看房"},
    // Money and time.
    {"expense|spending|money|cost|bill|花销|开支|费用",
     "paid spent cost bought price bill fee $ dollars purchase 花了 付了 买了 元"},
    {"income|earnings|earn|earned|收入",
     "sold earned made paid salary revenue sales profit 卖 工资 收入 赚"},
    {"investment|savings|投资|理财",
     "stock fund bond savings crypto 401k portfolio 股票 基金 存款"},
    {"discount|coupon|sale|折扣|优惠",
     "off percent coupon code deal cashback sale discount 打折 优惠券 折"},
    {"language|语言",
     "Spanish French German Japanese Chinese Mandarin Italian Korean Portuguese English Duolingo "
     "英语 "
     "法语 日语 西班牙语 德语"},
};

bool IsChinese(std::string_view name) { return static_cast<unsigned char>(name[0]) >= 0x80; }

// `plain`: as MakePlain's.
bool Names(std::string_view plain, std::string_view text, std::string_view name) {
  if (IsChinese(name)) return text.find(name) != text.npos;
  for (std::size_t at = plain.find(name); at != plain.npos; at = plain.find(name, at + 1)) {
    if (at == 0 || plain[at - 1] != ' ') continue;
    const std::string_view rest = plain.substr(at + name.size());
    // "health-related", "fruits", "dishes"
    if (rest.starts_with(" ") || rest.starts_with("-") || rest.starts_with("s ") ||
        rest.starts_with("es ")) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::string KindWordsFor(std::string_view question) {
  constexpr std::size_t kReadOf_bytes = 2000;
  constexpr std::size_t kMostKinds = 3;  // A question that names many asks for none.
  const std::string_view text = TruncateUtf8(question, kReadOf_bytes);
  const PlainText plain = MakePlain(text);
  std::string words;
  std::size_t named = 0;
  for (const Kind& kind : kKinds) {
    bool names = false;
    for (std::string_view rest = kind.names; !rest.empty() && !names;) {
      const std::size_t end = std::min(rest.find('|'), rest.size());
      names = Names(plain.text, text, rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    if (!names) continue;
    if (++named > kMostKinds) return {};
    if (!words.empty()) words += ' ';
    words += kind.members;
  }
  return words;
}

}  // namespace liubai::memory
