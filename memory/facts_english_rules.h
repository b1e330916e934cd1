// memory/facts_english_rules.h: the verbs by which English tells facts, and how each value is read.
#pragma once

#include <cstdint>
#include <string_view>

namespace liubai::memory::english {

enum class Value : std::uint8_t {
  kPlace,
  kOrg,
  kJobAtOrg,  // A trade, or else an organisation.
  kJob,
  kField,  // "in marketing"
  kNoun,
  kStudy,
  kSchool,
  kLikes,
  kDislikes,
  kAllergies,
  kCondition,  // One of the known ones.
  kIllness,    // Whatever follows.
  kMedication,
  kDiet,
  kThing,
  kSold,
  kInstrument,
  kSport,
  kPartner,
  kAge,
  kBorn,
  kName,
  kPlan,
  kWish,
  kTrip,
  kNewJob,
  kLeftJob,
  kMovedFrom,
  kAvoids,    // "don't eat meat"
  kMoney,     // "earn 52,000 a year"
  kPeriodic,  // The same, where only "a year" tells that it is no single payment.
  kPaid,      // "pay 900 of rent", "pay 12 a month for Netflix"
  kAddress,   // "at 14 Mill Street"
  kWay,       // "get to work by tram"
  kWayVerb,   // "walk to work"
  kTakes,     // "take the 42 bus to work"
  kCount,     // "lead six people"
  kNamed,     // "train at Ironhouse"
  kNewState,  // "have a new landlord called Simmons"
  kChanged,   // "changed the door code to 8812"
  kTimed,     // "ran 5k in 22:40"
  kListen,    // "listen to jazz at work"
  kTired,     // "gone off espresso"
  kBelongs,   // "have been with Kestrel since May"
  kFixed,     // The rule's own value.
};

enum class Tense : std::uint8_t {
  kState,  // Holds now; "was" and "used to" make it former.
  kPast,   // Held once, unless "have" stands before it.
  kEvent,  // Began then, and holds: "moved to".
  kEnd,    // Ended: "sold".
};

struct Rule {
  std::string_view pattern;  // Words; "a|b" either, "?a" may be missing.
  Value value;
  std::string_view attribute;
  Tense tense;
  int be = 0;  // 1: "am", "is" stand before it; -1: they do not.
  std::string_view fixed = {};
};

inline constexpr Rule kRules[] = {
    // States of every day; what none of these reads goes on to the rules below.
    {"have|has|got|found|hired ?got a|an|another ?brand new|different", Value::kNewState, "",
     Tense::kEvent, -1},
    {"changed|switched|swapped|updated|reset|replaced ?my ?our ?the", Value::kChanged, "",
     Tense::kEvent},
    {"live|lives|living ?together at", Value::kAddress, "address", Tense::kState},
    {"lived at", Value::kAddress, "address", Tense::kPast},
    {"moved|relocated|moving ?house ?back ?out ?over to|into|in", Value::kAddress, "address",
     Tense::kEvent},
    {"earn|earns|earning ?about ?around", Value::kMoney, "salary", Tense::kState},
    {"earned", Value::kMoney, "salary", Tense::kPast},
    {"make|makes|making", Value::kPeriodic, "salary", Tense::kState},
    {"get|gets paid", Value::kPeriodic, "salary", Tense::kState},
    {"paid", Value::kPeriodic, "salary", Tense::kState, 1},
    {"on", Value::kPeriodic, "salary", Tense::kState, 1},
    {"got|received|had a ?new ?small ?big ?nice ?pay raise|rise ?to ?in ?pay", Value::kMoney,
     "salary", Tense::kEvent},
    {"pay|pays|paying", Value::kPaid, "rent", Tense::kState},
    {"get|gets|go|goes|travel|travels|come|comes ?in to|into work|school|uni|campus", Value::kWay,
     "commute", Tense::kState},
    {"get|gets|go|goes|travel|travels|come|comes to|into the|my office|lab|shop|studio|factory|"
     "clinic|hospital|warehouse",
     Value::kWay, "commute", Tense::kState},
    {"commute|commutes|commuting|commuted ?in ?to ?work", Value::kWay, "commute", Tense::kState},
    {"walk|walks|cycle|cycles|bike|bikes|drive|drives|run|runs|ride|rides|carpool|skate|jog|"
     "walking|"
     "cycling|biking|driving in|to work",
     Value::kWayVerb, "commute", Tense::kState},
    {"walk|walks|cycle|cycles|bike|bikes|drive|drives|run|runs|carpool|jog|walking|cycling|biking|"
     "driving to the|my office",
     Value::kWayVerb, "commute", Tense::kState},
    {"take|takes|ride|rides|taking|riding|catch|catches|use|uses", Value::kTakes, "commute",
     Tense::kState},
    {"lead|leads|manage|manages|head|heads|run|runs|have|has|supervise|supervises ?now a|my ?small "
     "?big ?whole team|group|department|crew of",
     Value::kCount, "team size", Tense::kState},
    {"lead|leads|manage|manages|supervise|supervises ?now", Value::kCount, "team size",
     Tense::kState},
    {"responsible for", Value::kCount, "team size", Tense::kState, 1},
    {"bank|banks ?now with|at", Value::kNamed, "bank", Tense::kState},
    {"train|trains|work|works out at", Value::kNamed, "gym", Tense::kState},
    {"train|trains at", Value::kNamed, "gym", Tense::kState},
    {"with|at", Value::kBelongs, "employer", Tense::kState, 1},
    {"started|start|began ?today ?yesterday at", Value::kNamed, "employer", Tense::kEvent},
    {"?got hired by|at", Value::kNamed, "employer", Tense::kEvent},
    {"did|finished|got my|a|an ?own master's|bachelor's|masters|bachelors|phd|mba|doctorate|degree|"
     "undergrad|master|bachelor ?'s ?degree at",
     Value::kNamed, "school", Tense::kEvent},
    {"ran|swam|cycled|rowed|finished|did|completed ?my ?the ?a", Value::kTimed, "", Tense::kEvent},
    {"listen|listens|listening ?now ?mostly to", Value::kListen, "", Tense::kState},
    {"like ?now to listen to", Value::kListen, "", Tense::kState},
    {"prefer|prefers ?now ?to ?listen ?to", Value::kListen, "", Tense::kState},
    {"gone|went off", Value::kTired, "likes", Tense::kEnd},
    {"?grown ?got tired|sick of", Value::kTired, "likes", Tense::kEnd},
    // Home.
    {"live|lives|living|reside|resides|residing in|near", Value::kPlace, "home", Tense::kState},
    {"live|lives|living ?right ?here in", Value::kPlace, "home", Tense::kState},
    {"lived|resided in|near", Value::kPlace, "home", Tense::kPast},
    {"in", Value::kPlace, "home", Tense::kState, 1},
    {"based|located in|out", Value::kPlace, "home", Tense::kState, 1},
    {"based out of", Value::kPlace, "home", Tense::kState, 1},
    {"moved|relocated|emigrated|immigrated ?back ?over ?here ?out ?up ?down ?all ?away to",
     Value::kPlace, "home", Tense::kEvent},
    {"settled ?down in", Value::kPlace, "home", Tense::kEvent},
    {"moved|relocated ?here ?away ?over ?out from", Value::kMovedFrom, "home", Tense::kEvent},
    {"bought|rented|built|renting a|an ?new ?small ?little house|home|apartment|condo|flat|place "
     "in",
     Value::kPlace, "home", Tense::kEvent},
    {"grew up in|near", Value::kPlace, "hometown", Tense::kEvent},
    {"raised in", Value::kPlace, "hometown", Tense::kEvent, 1},
    {"?originally from", Value::kPlace, "hometown", Tense::kState, 1},
    {"come|comes|hail|hails ?originally from", Value::kPlace, "hometown", Tense::kState, -1},
    {"born", Value::kBorn, "birthday", Tense::kEvent},
    // Work.
    {"work|works|working ?full-time ?part-time ?here as", Value::kJob, "job", Tense::kState},
    {"worked ?full-time ?part-time as", Value::kJob, "job", Tense::kPast},
    {"work|works|working ?full-time ?part-time ?remotely at|for", Value::kOrg, "employer",
     Tense::kState},
    {"worked ?full-time ?part-time at|for", Value::kOrg, "employer", Tense::kPast},
    {"work|works|working in", Value::kField, "field of work", Tense::kState},
    {"employed at|by", Value::kOrg, "employer", Tense::kState, 1},
    {"employed as", Value::kJob, "job", Tense::kState, 1},
    {"became|become", Value::kJob, "job", Tense::kEvent, -1},
    {"?just promoted to", Value::kJob, "job", Tense::kEvent},
    {"got promoted to", Value::kJob, "job", Tense::kEvent},
    {"got|landed|accepted|started|found|took|began|starting a|an|my|the ?new ?great ?dream ?first "
     "job|position|role|internship",
     Value::kNewJob, "job", Tense::kEvent},
    {"have|has a|an ?new ?great ?full-time ?part-time job|position|role|internship", Value::kNewJob,
     "job", Tense::kState, -1},
    {"started|began working as", Value::kJob, "job", Tense::kEvent},
    {"started|began|start working|work at|for", Value::kOrg, "employer", Tense::kEvent},
    {"joined", Value::kOrg, "employer", Tense::kEvent, -1},
    {"quit|left|lost ?my ?his ?her job|position|role", Value::kLeftJob, "job", Tense::kEnd},
    {"resigned", Value::kLeftJob, "job", Tense::kEnd},
    {"?got laid off", Value::kLeftJob, "job", Tense::kEnd},
    {"?got fired", Value::kLeftJob, "job", Tense::kEnd},
    {"retired", Value::kFixed, "job", Tense::kEvent, 0, "retired"},
    {"unemployed", Value::kFixed, "job", Tense::kState, 1, "unemployed"},
    {"self-employed", Value::kFixed, "job", Tense::kState, 1, "self-employed"},
    {"freelancing", Value::kFixed, "job", Tense::kState, 1, "freelancer"},
    {"between jobs", Value::kFixed, "job", Tense::kState, 1, "between jobs"},
    {"a stay-at-home mom|mum|dad|parent|mother|father", Value::kFixed, "job", Tense::kState, 1,
     "stay-at-home parent"},
    // Studies.
    {"study|studies|studying ?for", Value::kStudy, "studies", Tense::kState},
    {"studied", Value::kStudy, "studies", Tense::kPast},
    {"major|majoring|majors|majored in", Value::kStudy, "studies", Tense::kEvent},
    {"?recently ?just graduated from", Value::kSchool, "school", Tense::kEvent},
    {"graduated with", Value::kNoun, "degree", Tense::kEvent},
    {"go|goes|going to", Value::kSchool, "school", Tense::kState},
    {"attend|attends|attending", Value::kSchool, "school", Tense::kState},
    {"started|starting|starts college|university|school at", Value::kSchool, "school",
     Tense::kEvent},
    {"attended|went to", Value::kSchool, "school", Tense::kPast},
    {"attended", Value::kSchool, "school", Tense::kPast},
    {"a student|freshman|sophomore|junior|senior at", Value::kSchool, "school", Tense::kState, 1},
    {"have|has|hold|holds|got|earned|finished|completed|doing|pursuing|received|getting ?a ?an "
     "?my ?her ?his bachelor's|master's|phd|doctorate|mba|bachelors|masters|degree|bachelor|master",
     Value::kStudy, "degree", Tense::kEvent},
    {"learning|studying", Value::kNoun, "learning", Tense::kState, 1},
    {"learning to", Value::kNoun, "learning", Tense::kState, 1},
    {"taking|take|takes", Value::kStudy, "learning", Tense::kState},
    {"speak|speaks ?fluent", Value::kNoun, "language", Tense::kState},
    {"fluent in", Value::kNoun, "language", Tense::kState, 1},
    // Health.
    {"allergic|anaphylactic to", Value::kAllergies, "allergy", Tense::kState, 1},
    {"severely|mildly|deathly|highly|slightly|seriously allergic to", Value::kAllergies, "allergy",
     Tense::kState, 1},
    {"have|has|developed a|an ?severe ?mild ?bad ?serious ?life-threatening allergy to",
     Value::kAllergies, "allergy", Tense::kState, -1},
    {"intolerant to|of", Value::kAllergies, "allergy", Tense::kState, 1},
    {"have|has ?got", Value::kCondition, "condition", Tense::kState, -1},
    {"had", Value::kCondition, "condition", Tense::kPast, -1},
    {"suffer|suffers|suffering from", Value::kIllness, "condition", Tense::kState},
    {"struggle|struggles|struggling with", Value::kCondition, "condition", Tense::kState},
    {"living|live|lives|dealing with", Value::kCondition, "condition", Tense::kState},
    {"?just ?recently diagnosed with", Value::kIllness, "condition", Tense::kEvent},
    {"got diagnosed with", Value::kIllness, "condition", Tense::kEvent},
    {"?a ?an", Value::kDiet, "diet", Tense::kState, 1},
    {"went|gone|become|became|turned", Value::kDiet, "diet", Tense::kEvent, -1},
    {"follow|follows|following a|an", Value::kDiet, "diet", Tense::kState},
    {"on a|an", Value::kDiet, "diet", Tense::kState, 1},
    {"take|takes|taking|on", Value::kMedication, "medication", Tense::kState},
    {"?just prescribed", Value::kMedication, "medication", Tense::kEvent, 1},
    {"diabetic", Value::kFixed, "condition", Tense::kState, 1, "diabetic"},
    {"asthmatic", Value::kFixed, "condition", Tense::kState, 1, "asthmatic"},
    {"pregnant", Value::kFixed, "condition", Tense::kState, 1, "pregnant"},
    {"deaf", Value::kFixed, "condition", Tense::kState, 1, "deaf"},
    {"colorblind|colourblind|color-blind|colour-blind", Value::kFixed, "condition", Tense::kState,
     1, "colour-blind"},
    {"dyslexic", Value::kFixed, "condition", Tense::kState, 1, "dyslexic"},
    {"autistic", Value::kFixed, "condition", Tense::kState, 1, "autistic"},
    {"left-handed", Value::kFixed, "condition", Tense::kState, 1, "left-handed"},
    // Belongings.
    {"have|has|own|owns ?got", Value::kThing, "", Tense::kState, -1},
    {"had|owned", Value::kThing, "", Tense::kPast, -1},
    {"got|bought|purchased|adopted|ordered|inherited|acquired", Value::kThing, "", Tense::kEvent,
     -1},
    {"picked up", Value::kThing, "", Tense::kEvent, -1},
    {"upgraded|switched to", Value::kThing, "", Tense::kEvent},
    {"drive|drives|driving|ride|rides", Value::kThing, "", Tense::kState},
    {"sold|donated|lost", Value::kSold, "", Tense::kEnd, -1},
    {"gave away", Value::kSold, "", Tense::kEnd, -1},
    {"got rid of", Value::kSold, "", Tense::kEnd, -1},
    {"traded|replaced ?in", Value::kSold, "", Tense::kEnd, -1},
    {"play|plays|playing ?the", Value::kInstrument, "instrument", Tense::kState},
    {"played ?the", Value::kInstrument, "instrument", Tense::kPast},
    {"play|plays|playing", Value::kSport, "hobby", Tense::kState},
    // Tastes.
    {"like|likes|love|loves|enjoy|enjoys|adore|adores|prefer|prefers", Value::kLikes, "likes",
     Tense::kState, -1},
    {"into|fond|obsessed|passionate|keen|crazy ?of ?with ?about ?on", Value::kLikes, "likes",
     Tense::kState, 1},
    {"?a ?an ?big ?huge ?avid ?massive fan|lover of", Value::kLikes, "likes", Tense::kState, 1},
    {"have|has a passion|love for", Value::kLikes, "likes", Tense::kState, -1},
    {"hate|hates|dislike|dislikes|detest|detests|loathe", Value::kDislikes, "dislikes",
     Tense::kState, -1},
    {"stand|bear", Value::kDislikes, "dislikes", Tense::kState, -1},
    {"eat|eats|drink|drinks", Value::kAvoids, "avoids", Tense::kState, -1},
    {"?have ?has taken|took up", Value::kNoun, "hobby", Tense::kEvent},
    {"got|gotten into", Value::kLikes, "hobby", Tense::kEvent},
    {"?an ?a avid|amateur|keen", Value::kNoun, "hobby", Tense::kState, 1},
    // Relationships.
    {"getting married", Value::kFixed, "relationship", Tense::kState, 1, "engaged"},
    {"married", Value::kPartner, "relationship", Tense::kState, 1, "married"},
    {"got|get|gotten married", Value::kPartner, "relationship", Tense::kEvent, 0, "married"},
    {"married", Value::kPartner, "relationship", Tense::kEvent, -1, "married"},
    {"?got engaged", Value::kPartner, "relationship", Tense::kEvent, 0, "engaged"},
    {"single", Value::kPartner, "relationship", Tense::kState, 1, "single"},
    {"?got divorced", Value::kPartner, "relationship", Tense::kEvent, 0, "divorced"},
    {"separated", Value::kPartner, "relationship", Tense::kState, 1, "separated"},
    {"a? widowed|widow|widower", Value::kPartner, "relationship", Tense::kState, 1, "widowed"},
    {"dating|seeing", Value::kPartner, "relationship", Tense::kState, 1, "dating"},
    {"in a relationship", Value::kPartner, "relationship", Tense::kState, 1, "in a relationship"},
    {"broke up", Value::kPartner, "relationship", Tense::kEvent, 0, "single"},
    // Plans.
    {"planning|plan|plans ?on ?to ?for", Value::kPlan, "plan", Tense::kState},
    {"thinking|considering of|about", Value::kWish, "plan", Tense::kState, 1},
    {"hoping|hope|going|looking|want|wants|aim|intend|intends to", Value::kWish, "plan",
     Tense::kState},
    {"moving|relocating to", Value::kPlan, "plan", Tense::kState, 1, "move to"},
    {"going to", Value::kTrip, "plan", Tense::kState, 1},
    {"flying|traveling|travelling|heading ?out ?over to", Value::kTrip, "plan", Tense::kState, 1},
    // Oneself.
    {"", Value::kAge, "age", Tense::kState, 1},
    {"?just ?recently turned", Value::kAge, "age", Tense::kEvent},
    {"turning|turn|turns", Value::kAge, "turning age", Tense::kState},
    {"named|called", Value::kName, "name", Tense::kState, 1},
    {"go|goes by", Value::kName, "name", Tense::kState, -1},
    {"", Value::kJob, "job", Tense::kState, 1},
};

}  // namespace liubai::memory::english
