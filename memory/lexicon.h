// memory/lexicon.h: the words and names of memory/lexicon/, by which a scanner tells a name that no
// form tells: a word that English does not have, characters that stand in given names.
//
// Threads: free functions without state but the lists, which are read on first use.
#pragma once

#include <cstdint>
#include <string_view>

namespace liubai::memory {

// `lower`: ASCII in lower case. English words have their endings here ("walked", "tidier"); a
// compound of two words is one.
bool IsEnglishWord(std::string_view lower);
// Short forms and newer words: "tmrw", "webhook".
bool IsTalkWord(std::string_view lower);
// Names of people that are no English word.
bool IsListedGivenName(std::string_view lower);
// A company, product or service, which may be another word too: "target".
bool IsListedBrand(std::string_view lower);

enum class NamePart : std::uint8_t { kFamily, kFirst, kSecond, kOnly };
inline constexpr int kNeverInNames = -4;
// How much more often `c` stands there in names than in other words, as a power of two;
// kNeverInNames to 4. kFirst and kSecond are those of a given name of two characters.
int NamePartScore(NamePart part, std::int32_t c);
// 1 to 6 where names that are written by their sound have `c` half as often as other words, as
// often, and so on; 0 where they have it hardly ever.
int SoundScore(std::int32_t c);
// A Chinese word of two to four characters that is no name.
bool IsChineseWord(std::string_view word);
// Bytes of the longest brand, place, or saying with a numeral, that `text` begins with.
std::size_t ChineseBrandBytes(std::string_view text);
std::size_t ChinesePlaceBytes(std::string_view text);
std::size_t ChineseIdiomBytes(std::string_view text);

}  // namespace liubai::memory
