#!/usr/bin/env python3
"""Writes the word lists of this folder from public ones; README.md says which and their licences.

  make_lexicon.py JIEBA_DICT FAKER_PERSON_FOLDER CPCA_CODES COMMON_ENGLISH MORE_ENGLISH

Needs the Python packages jieba (its dict.txt), Faker (its folder providers/person) and cpca (its
adcodes.csv), and English words, one a line: the common ones (Debian: wamerican-small and wbritish-small in one file), and more
(wamerican and wbritish), of which those that are given names are left out. The output depends on
nothing else.
"""
import collections
import importlib
import math
import pathlib
import re
import sys
import unicodedata

HERE = pathlib.Path(__file__).parent
# Family names of one character, by how common they are; then those of two.
SURNAMES = (
    "王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗梁宋郑谢韩唐冯于董萧程曹袁邓许傅沈曾彭吕苏卢蒋蔡贾丁魏"
    "薛叶阎余潘杜戴夏钟汪田任姜范方石姚谭廖邹熊金陆郝孔白崔康毛邱秦江史顾侯邵孟龙万段雷钱汤尹黎易常武"
    "乔贺赖龚文庞樊兰殷施陶洪翟安颜倪严牛温芦季俞章鲁葛伍韦申尤毕聂丛焦向柳邢路岳齐沿梅莫庄辛管祝左涂"
    "谷祁时舒耿牟卜路詹关苗凌费纪靳盛童欧甄项曲成游阳裴席卫查屈鲍位覃霍翁隋植甘景薄单包司柏宁柯阮桂闵"
    "解强柴华车冉房边辜吉饶刁瞿戚丘古米池滕晋苑邬臧畅宫来嵺苟全褚廉简娄盖符奚木穆党燕郎邸冀谈姬屠连郜"
    "晏栾郁商蒙计喻揭窦迟宇敖糜鄢冷卓花仇艾蓝都巩稽井练仲乐虞卞封竺冼原官衣楚佟栗匡宗应台巫鞠僧桑荆谌"
    "银扬明沙薄伏岑习胥保蔺闻荀杭靖亓逄阚訾仉敬璩闫项尚鲜水储寇仝骆麦班邝濮茅滑竹占湛宣凤候岩苍甯厉佘麻慕")
COMPOUND = ("欧阳 上官 司马 诸葛 东方 皇甫 尉迟 公孙 慕容 令狐 夏侯 司徒 端木 南宫 西门 长孙 宇文 "
            "独孤 轩辕 百里 申屠 呼延 闻人 澹台 公冶 宗政 濮阳 淳于 单于 太叔 仲孙 钟离").split()


def fold(name):
    """Lower case without accents."""
    text = unicodedata.normalize("NFD", name.lower()).replace("ø", "o").replace("ł", "l")
    text = text.replace("ß", "ss").replace("đ", "d").replace("ı", "i").replace("æ", "ae")
    return "".join(c for c in text if not unicodedata.combining(c))


def write(name, lines):
    (HERE / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(name, len(lines))


def packed(words):
    """Lines of at most 100 columns."""
    lines, line = [], ""
    for word in words:
        if line and len(line) + 1 + len(word) > 100:
            lines.append(line)
            line = ""
        line = f"{line} {word}" if line else word
    return lines + [line] if line else lines


def english_words(common, more, given):
    """Words in lower case, without those that a rule makes of another one."""
    def read(path):
        lines = path.read_text(encoding="utf-8").split()
        return {line for line in lines if re.fullmatch("[a-z]{2,}", line)}

    words = read(common) | (read(more) - given)

    def made(word):
        bases = []
        for end, puts in (("s", ("",)), ("es", ("",)), ("ies", ("y",)), ("d", ("",)),
                          ("ed", ("",)), ("ied", ("y",)), ("ing", ("", "e")), ("ly", ("",)),
                          ("er", ("", "e")), ("ers", ("", "e")), ("est", ("", "e")),
                          ("ness", ("",)), ("ily", ("y",)), ("ier", ("y",)), ("iest", ("y",)),
                          ("able", ("", "e")), ("less", ("",)), ("ment", ("",)),
                          ("ments", ("",))):
            if word.endswith(end):
                stem = word[: len(word) - len(end)]
                bases += [stem + put for put in puts]
                if len(stem) > 3 and stem[-1] == stem[-2] and end in ("ed", "ing", "er", "ers",
                                                                      "est"):
                    bases.append(stem[:-1])
        for front in ("un", "re", "non", "over"):
            if word.startswith(front):
                bases.append(word[len(front):])
        return any(len(base) > 2 and base in words for base in bases)

    return sorted(w for w in words if not made(w))


def latin_names(folder):
    sys.path.insert(0, str(folder.parents[2]))
    given = set()
    for locale in sorted(p.name for p in folder.iterdir() if p.is_dir() and "_" in p.name):
        if locale.startswith("__"):
            continue
        provider = importlib.import_module(f"faker.providers.person.{locale}").Provider
        for key in dir(provider):
            if not key.startswith(("first_name", "first_romanized_name")):
                continue
            value = getattr(provider, key)
            if isinstance(value, (list, tuple, dict, set)):
                given.update(fold(str(v)) for v in value)
    return {n for n in given if re.fullmatch("[a-z]{3,12}", n)}


# Places by name, and words in any other talk.
NOT_PLACES = ("古城 平原 东方 白云 长安 永安 太和 太平 安宁 新建 新城 大城 桥东 桥西 城东 城西 东城 西城 城中 "
              "东海 南海 青山 金山 金沙 红旗 光明 明山 河口 沙湾 石门 龙门 天桥 路桥 山城 海港 开发 长治 城区 "
              "上街 下城 上城 中山 南岸 江北 河东 河西 和平 新华 城关 鼓楼 文山 大同 高明 安康 宁静 兴旺").split()


def chinese_places(rows, codes):
    """Provinces, cities and counties, also without the last character where that is no other word."""
    tags = {word: tag for word, count, tag in rows if count > 2}
    places = set()
    for line in codes.read_text(encoding="utf-8").splitlines()[1:]:
        code, name = line.split(",")[:2]
        if not code.endswith("000000") or not 2 <= len(name) <= 8:
            continue
        if len(name) > 2:
            places.add(name)
        short = re.sub("(省|市|县|区|旗|盟)$", "", name)
        if len(short) >= 2 and tags.get(short) == "ns" and short not in NOT_PLACES:
            places.add(short)
    write("chinese_places.txt", packed(sorted(places)))


def chinese(path, codes):
    rows = []
    for line in path.read_text(encoding="utf-8").splitlines():
        word, count, tag = line.split()
        rows.append((word, int(count), tag))
    chinese_places(rows, codes)
    surnames = set(SURNAMES)
    text = collections.Counter()
    for word, count, tag in rows:
        for c in word:
            text[c] += count
    total = sum(text.values())
    # The family name; of given names the first of two characters, the second, the only one.
    places = [collections.Counter() for _ in range(4)]
    for word, count, tag in rows:
        if tag not in ("nr", "nrfg") or word[0] not in surnames:
            continue
        if len(word) == 3:
            places[0][word[0]] += 1
            places[1][word[1]] += 1
            places[2][word[2]] += 1
        elif len(word) == 2 and count < 2000:
            places[0][word[0]] += 1
            places[3][word[1]] += 1
    out = []
    for place, counts in zip(("family", "first", "second", "only"), places):
        number = sum(counts.values())
        levels = collections.defaultdict(list)
        for c in set(text) | set(counts):
            if not "一" <= c <= "鿿" or text[c] < 300 and counts[c] < 2:
                continue
            score = math.log2(((counts[c] + 0.3) / number) / ((text[c] + 300) / total))
            # A rare character that no name has is no sign of one.
            level = max(-4, min(4, round(score), 2 * counts[c] - 1))
            if place == "family" and c not in surnames:
                continue
            levels[level].append(c)
        for level in sorted(levels):
            if level == -4:  # What is not listed.
                continue
            out.append(f"{place} {level} " + "".join(sorted(levels[level])))
    write("chinese_given.txt", out)
    foreign = collections.Counter()
    for word, count, tag in rows:
        if tag == "nrt" and len(word) >= 3:
            foreign.update(word)
    number = sum(foreign.values())
    levels = collections.defaultdict(list)
    for c, n in foreign.items():
        # From 1, which is half as often as in other words, to 6.
        score = round(math.log2(((n + 0.3) / number) / ((text[c] + 300) / total))) + 2
        if n > 2 and score >= 1:
            levels[min(6, score)].append(c)
    write("chinese_sounds.txt", [f"{k} " + "".join(sorted(levels[k])) for k in sorted(levels)])
    people = ("nr", "nrt", "nrfg", "zg", "x", "g")
    # Rare words count where they could be taken for a name; frequent "names" are words: 明白, 阳光.
    two = sorted({w for w, n, t in rows if len(w) == 2 and
                  (n >= 25 if t not in people else n >= 100) or len(w) == 2 and n >= 3 and
                  t not in people and (w[0] in surnames or w[0] in "小老阿大")})
    longer = sorted({w for w, n, t in rows if len(w) in (3, 4) and n >= 20 and w[0] in surnames
                     and t not in people and w[:2] not in two})
    numerals = set("一二三四五六七八九十百千万半两零")
    idioms = sorted({w for w, n, t in rows if w[0] in numerals and 2 < len(w) < 6
                     and (t == "i" or t == "l" and len(w) > 3)})
    write("chinese_idioms.txt", packed(idioms))
    both = packed(two) + packed(longer)
    write("chinese_words.txt", both)


def main():
    jieba, faker, codes, common, more = (pathlib.Path(p) for p in sys.argv[1:6])
    given = latin_names(faker)
    write("english_words.txt", packed(english_words(common, more, given)))
    write("given_names.txt", packed(sorted(given)))
    chinese(jieba, codes)


main()
