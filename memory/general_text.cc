#include "memory/general_text.h"

#include <iterator>

// Prose of many kinds, half everyday and half formal, in English and Chinese: an embedder's
// principal directions are fitted on its vectors of these. Only the variety matters, not the facts.
namespace liubai::memory {
namespace {

constexpr std::string_view kTexts[] = {
    R"(Priya: are you still coming on Saturday the 14th? Mum keeps asking how many chairs
Tom: yes! me and Lena, plus the baby if she naps on the train. 11:40 from Leeds, gets in about one
Priya: perfect, Dev can fetch you from the station. he finally passed his test, on the fourth go
lol
Tom: oh no. should I bring a helmet
Priya: be nice, he's very proud. also don't mention the fence
Tom: what happened to the fence
Priya: exactly. anyway it's Nani's 80th so there's a cake at four and a speech from Uncle Raj that
will last until five. bring something for the garden if you're stuck for a present, she loves
anything that climbs
Tom: Lena found a clematis, is that allowed? we also have her photo from the wedding in 2009,
framed
Priya: she'll cry. do it. are you staying the night? Sofa bed is yours, but the cat thinks it's
hers
Tom: one night, we've got to be back by Sunday lunch because Lena starts the new job at the
hospital on Monday
Priya: she got it?? why did nobody tell me!! tell her congratulations, I'll get a second cake)",
    R"(Subject: Revised delivery schedule for order 48213

Dear Ms. Okafor,

Thank you for your call on Tuesday. As discussed, the supplier in Gdansk has confirmed that the
second batch of housings will leave the factory on 9 March instead of 23 February, because a mould
had to be recut. The first batch of 1,200 units is not affected and should reach your warehouse by
the end of this week.

To limit the effect on your assembly line, we propose to send 300 units of the second batch by air
at our own cost, arriving no later than 4 March, with the remainder following by road. The unit
price stays at €6.85, and we will credit 2% of the invoice in line with section 7 of our framework
agreement.

Could you let me know by Thursday noon whether this works for your team? If you would rather have
the full quantity in one shipment, I will ask the carrier for a new quote. Our quality manager,
Henrik Sand, is copied here and can answer any questions on the inspection report.

Kind regards,
Marta Wilk
Key Account Manager)",
    R"(Lentil soup with lemon, for four. Rinse 250 g of red lentils until the water runs clear and
leave them to drain. Warm two tablespoons of olive oil in a heavy pot, add one large onion, finely
chopped, and a pinch of salt, and cook gently for ten minutes until it is soft and just beginning
to colour. Stir in three cloves of garlic, a teaspoon of ground cumin, half a teaspoon of smoked
paprika and a tablespoon of tomato paste; let them fry for a minute so the spices lose their raw
smell. Tip in the lentils, a diced carrot and 1.2 litres of stock, bring to the boil, skim off the
foam, then lower the heat and simmer, half covered, for about twenty-five minutes. Blend half of it
if you like a smoother soup. Off the heat, add the juice of a lemon and plenty of black pepper.
Taste before you add more salt, since stock varies. Serve with toasted bread and a spoonful of
yoghurt, or melt a little butter with dried mint and pour it over the top. It keeps for three days
in the fridge and thickens as it stands, so loosen it with water.)",
    R"(Flooding closes coast road for second day. The coast road between Harrow Point and Millbay
remained shut on Wednesday after a night of heavy rain sent the River Tarn over its banks and left
some forty homes without power. Emergency crews carried eleven people to safety by boat, among them
a family of five who had spent six hours on the roof of a farmhouse. No one was seriously injured.
The county council said water levels peaked at 3.7 metres shortly before dawn, the highest since
records began in 1961, and were expected to fall slowly through the afternoon. Two schools and the
ferry terminal will stay closed until at least Friday. "We have seen storms before, but never this
quickly," said a baker in Millbay whose shop was under half a metre of water. Engineers are
inspecting the old stone bridge, which carries the only rail line to the north; train operators
have laid on buses in the meantime. Opposition councillors called for an inquiry into why a flood
barrier approved four years ago has not been built, and pointed to a report that put its cost at 18
million.)",
    R"(Sunday, late. I meant to write every evening this month and it has been nine days, so here
is the short version. The flat is mine: I got the keys on Thursday and sat on the floor of the
empty kitchen eating a sandwich, too happy to do anything useful. Then I slept badly because the
pipes knock. On Friday I had lunch with Clara, who looked tired and said, out of nowhere, that she
might move back to Lisbon in the spring. I told her I'd be glad for her and I think I even meant it
by the time I got home. Today it rained. I unpacked four boxes, found Dad's old watch, wound it,
and it started at once, as if he had just put it down. I cried for about a minute and then hung the
curtains, crooked. I keep thinking I should feel more grown up. Tomorrow: call the gas people, buy
a lamp, and say no to Martin about the choir, properly this time, without three paragraphs of
excuses. The window over the sink faces east, so maybe there will be sun at breakfast.)",
    R"(Thanks for the patch, the tests make the intent clear. Two comments before I approve.
First, the function below fails when the list is empty, which happens on every fresh install before
the first poll:

    def last_change(items):
        best = items[0]
        for i in range(1, len(items)):
            if items[i].time >= best.time:
                best = items[i]
        return best

The first line of the body raises an IndexError, and the caller logs it as a timeout, so it took me
a while to see. Please return None for an empty list, or use `max(items, key=..., default=None)`,
and say in the docstring which one wins on a tie; callers in the scheduler rely on the later one.
Second, I would rather not hold the lock while we write to disk. A slow volume blocks every reader,
and we saw 400 ms stalls in staging last week. Copying the dictionary under the lock and writing
the copy afterwards would do. Nit: `tmp2` wants a better name. The rest looks good to me; feel free
to merge once CI is green, no need for another round.)",
    R"(The old harbour is best seen before nine, when the fishing boats come in and the day
trippers have not yet arrived. Take tram 6 to its last stop and walk downhill past the customs
house; the lane on your left leads to the fish market, where a paper cone of fried anchovies costs
next to nothing and is breakfast enough. From there a stairway of 212 steps climbs to the fortress.
Go slowly, carry water, and look back at each landing, because the view over the bay changes every
time. The fortress opens at ten, closed on Mondays, and the ticket also covers the small naval
museum, which has a charming room of ships in bottles. For lunch avoid the terraces with
photographs on the menu and try one of the family kitchens behind the cathedral. In the afternoon,
a ferry crosses to the island in twenty-five minutes; its pebble beaches are quiet even in July,
though there is little shade. Stay in the upper town if you want silence, or by the station if you
leave early. April, May and late September are the kindest months. Watch your bag in the covered
market, and always carry a little cash.)",
    R"(Most sore throats are caused by viruses and get better by themselves within about a week,
so antibiotics are rarely needed. Drink plenty of fluids, rest, and avoid smoky rooms. Adults can
take paracetamol or ibuprofen for pain and fever, following the dose on the packet; do not give
aspirin to children under sixteen. Gargling with warm salt water helps some people, and cool or
soft foods are easier to swallow. See a doctor if the pain is severe or has not improved after
seven days, if you have a very high temperature or feel hot and shivery, or if you often get sore
throats. People with diabetes, those having chemotherapy and anyone whose immune system is weakened
should ask for advice earlier. Call an ambulance if you have difficulty breathing or cannot swallow
your own saliva, if you are making a high-pitched sound when you breathe in, or if your symptoms
are getting worse quickly. A swab may be taken to find out whether bacteria are involved. If you
are prescribed tablets, finish the course even when you feel better, and tell the pharmacist about
any allergy or other medicine you take.)",
    R"(To whom it may concern: I am writing about the washing machine I bought from your Northgate
branch on 2 November, receipt number 77-1904. It was delivered nine days late, which I could have
forgiven, by two men who left it in the hallway because, they said, carrying it up one flight of
stairs "wasn't on the sheet". I had paid £35 for exactly that. When my neighbour and I had got it
upstairs ourselves, the drum made a grinding noise and water came out of the door. I have since
called your helpline five times. I was cut off twice, promised a call back twice, and on the fifth
occasion told that I must have overloaded it, although it has yet to complete a single wash. I have
been going to the launderette for three weeks with two small children. I would like the machine
collected and the full price of £429 refunded, together with the delivery charge, within fourteen
days. If I do not hear from you by then I will take the matter to the ombudsman. I enclose
photographs and a list of the dates and times of my calls. Yours faithfully, J. Pemberton)",
    R"(The sea has forgotten your name again. It says it in the morning, wrongly, rolling the
vowels over the stones as if they were coins it meant to spend, and in the evening it takes the
sound back, a miser after all. I walked out to the end of the pier, where the lamps are, and
listened for the part of the word that belonged to you. There was only salt. There was a gull,
asleep on one leg, and under it the slow green breathing of the piles, and further off, past the
buoy that nods like an old man agreeing with everybody, a ship so still it might have been a
thought somebody left there. What did we ask of all this water? To carry, I think, and not to keep.
So I gave it what I had in my pockets: a ticket, a key without a door, the small blue shell of a
morning. It closed over them without hurry. Then the wind turned, the lamps came on one by one like
a sentence finding its verbs, and I went home along the wall with my hands empty and my shoes full
of light.)",
    R"(Let us begin with something you all know from the playground. If you sit on a rotating
stool with your arms stretched out and pull them in, you spin faster. Nobody pushed you, so where
does the extra speed come from? The answer is that angular momentum, the product of moment of
inertia and angular velocity, is conserved as long as no external torque acts. Bring the mass
closer to the axis, the moment of inertia falls with the square of the distance, and the angular
velocity has to rise to compensate. Note, however, that kinetic energy is not the same before and
after: it equals L squared over 2I, so it increases when I gets smaller. That energy is the work
your muscles do against the outward pull. Now scale this up. A star of ten to the ninth metres
turning once a month collapses to a ball ten kilometres in radius. If it kept all its mass it would
turn billions of times faster, which is the origin of pulsars, some of which complete several
hundred turns per second. Next week we shall treat the general case, where the axis itself moves,
and you will meet the tensor. Please read chapter four.)",
    R"(7.3 Late payment. Where the Client fails to pay any undisputed amount by the due date, the
Contractor may charge interest on the overdue sum at a rate of 4% per annum above the base rate,
accruing daily from the due date until the date of actual payment, whether before or after
judgment. 7.4 Cap on liability. Subject to clause 7.6, the total liability of either party under or
in connection with this Agreement, whether in contract, tort (including negligence), breach of
statutory duty or otherwise, shall not exceed the greater of USD 250,000 and 125% of the fees paid
or payable in the twelve months preceding the event giving rise to the claim. 7.5 Neither party
shall be liable for loss of profit, loss of goodwill, or any indirect or consequential loss. 7.6
Nothing in this Agreement limits liability for death or personal injury caused by negligence, for
fraud, or for any matter for which liability cannot lawfully be limited. 8.1 Either party may
terminate this Agreement on not less than sixty (60) days' written notice. On termination for any
reason the Client shall pay for all Services performed up to the termination date, and the
Contractor shall return the Materials within ten Business Days.)",
    R"(And here come the Rovers again, down the left, Adeyo with the ball at his feet, he's got
Larsen outside him if he wants it, he doesn't want it, he cuts inside, one man beaten, two men
beaten, oh what a run this is! Shot! And it's off the post! Off the inside of the post, right
across the line, and somehow, somehow, it stays out. The goalkeeper hasn't moved. Eighty-eight
minutes gone, one goal apiece, and the whole of the north stand has its hands on its head. You have
to say, Jim, that City can't get out of their own half. — No, they're dead on their feet, and I'd
have made that change ten minutes ago. Look at the number five, he's got cramp, he's waving to the
bench. — Corner then, taken short, whipped in towards the near post, headed away, only as far as
Molina on the edge of the box, he hits it first time, it takes a deflection, and it's in! It's in!
Two one! Would you believe it! His first goal of the season, and what a moment to choose. Three
minutes to hold on, plus whatever the referee adds.)",
    R"(To do this week
- renew passport (photos! form is in the blue folder), appointment Wed 8:45
- dentist, ask about the crown, bring insurance card
- pay the electricity bill, 84.20, due on the 17th
- reply to Aunt Ingrid about Easter, yes to the Friday, no to the Monday
- book train for Basel, cheaper before noon; window seat
- milk, eggs, rice, dish soap, batteries AA x 8, birthday candles
- bike: back brake squeaks, tyre pressure, lend pump to Yusuf
- finish slides for Thursday, cut the part on budgets, print 12 copies
- return library books (2 overdue, one under the bed?)
- water plants at number 9 while the Nowaks are away, key under the pot, feed the fish ONE pinch
only
- call plumber again. If he doesn't answer, try the one Beatriz used
- cancel the gym trial before the 20th or they charge the full year
- buy a present for Sam, something to do with space, max 25
- back up phone, delete the 3,000 screenshots
- school: sign the form for the museum trip, packed lunch, no nuts
- go to bed before midnight, at least twice)",
    R"(Four stars. I have used these headphones daily for about five months, mostly on the
underground and in a shared office, so this is not a first impression. The good: they are light,
the ear pads are replaceable, and the battery really does last the thirty hours it says on the box;
I charge them on Sunday night and forget about it. Noise cancelling is excellent with engines and
fans, less so with voices. Sound is warm, a bit heavy in the bass until you turn it down in the
app. Calls are fine indoors. The bad: the touch controls. A swipe to raise the volume pauses the
music every third time, and they do not work at all with gloves or in the rain. The case is huge.
Connecting to two devices at once is advertised, but my laptop drops out whenever the phone gets a
message, and support told me to wait for an update that still hasn't come. My previous pair, half
the price, had real buttons and I miss them. Would I buy them again? At the sale price of 179, yes;
at 260, I would look around first. Fits large heads, by the way.)",
    R"(Once, in a kingdom so small that the king knew every goose by name, there lived a
clockmaker's daughter called Odile who could hear what time was thinking. On Mondays it grumbled,
on Fridays it hummed, and on the longest night of the year it wept, because nobody ever thanked it
for passing. One winter the great clock in the tower stopped, and with it everything else: the snow
hung in the air, the bread would not rise, and the king sat with a spoon halfway to his mouth. Only
Odile could still move. She climbed the three hundred stairs and found, curled among the wheels, a
fox with a silver tail. "I am tired," said the fox, "of being chased by the minutes." "Then let me
be chased for a while," said Odile, "and you may sleep in my bed until spring." So they changed
places. The wheels turned, the snow fell, and the king burned his tongue. And if in that country an
afternoon ever seems to run very fast, the old people smile and say that the girl is playing; and
when the fox woke up in April, he brought her a plum.)",
    R"("Tell me about a time when a project went wrong." — "Sure. In my last job I was responsible
for moving our billing to a new provider. I had planned three months, and after six weeks it was
obvious that we would need five. What went wrong was that I'd trusted the documentation and not
asked the people who handle refunds by hand." — "And what did you do?" — "I told my manager the
same day, with two options: cut the scope or move the date. We cut the scope. Then I sat with the
refunds team for two mornings, and we found eleven cases nobody had written down." — "What would
you do differently?" — "Sit with them in week one. I do that every time now." — "Why are you
leaving?" — "Honestly, I've stopped learning there. It's a kind place, but I've been the only
analyst for four years." — "What salary do you have in mind?" — "Between fifty-two and fifty-eight
thousand, depending on the pension. I could start on the first of September; my notice is two
months." — "Do you have any questions for us?" — "Yes. What happened to the last person who had
this job?")",
    R"(By the end of the fourteenth century the cloth towns had grown rich on wool they did not
shear and ships they did not own. Their merchants bought raw fleece at the northern fairs, had it
spun and dyed in the villages around, and sold the finished bolts as far away as Alexandria. The
guilds set the width of a loom, the hours of work and the price of a day's labour, and they
punished weavers who worked by candlelight, since bad light made bad cloth. When plague halved the
number of hands, wages rose in spite of every ordinance, and for two generations a journeyman could
eat meat several times a week, something his great-grandchildren would not manage. The councils
answered with laws on dress: no servant might wear fur, no craftsman silk. Such laws were repeated
so often that we may be sure nobody obeyed them. Power shifted more slowly than money. It took
three revolts, the last in 1382, before the fullers and dyers won seats on the town council, and
they lost them again within a decade, when the duke, who needed loans for his war, sided with those
who could lend.)",
    R"(Tomatoes hate three things: cold feet, wet leaves and an irregular drink. Sow them indoors
six to eight weeks before the last frost, two seeds to a pot, and keep the weaker seedling only if
you have a neighbour to give it to. When the first true leaves appear, move each plant to its own
pot, burying the stem up to the leaves, since it will root all along its length. Harden them off
for a week by putting them outside during the day. Plant out in the sunniest bed you have, sixty
centimetres apart, with a stake driven in first so that you do not spear the roots later. Pinch out
the side shoots of cordon varieties every few days; leave bush types alone. Water at the base,
deeply, twice a week in dry weather, because a soaking after a drought splits the fruit and brings
on blossom end rot. Once the first truss has set, feed weekly with something high in potash. Basil
and marigolds make good company; potatoes do not, as they share the same blight. In September, pick
the green ones and let them ripen in a drawer beside a banana.)",
    R"(Revenue for the third quarter came to $412.6 million, up 9% from a year earlier and
slightly ahead of guidance, while operating margin narrowed by 140 basis points to 17.2%.
Management attributed the squeeze to higher freight costs and to the weaker yen, which together
took about $11 million off profit. Net income was $48.3 million, or 61 cents a diluted share,
against 66 cents in the same period last year. Free cash flow recovered to $55 million as
inventories fell for the second quarter running, and net debt now stands at 1.8 times EBITDA, down
from 2.3 in March. The board kept the dividend at 12 cents and approved a buyback of up to $100
million over eighteen months. For the full year the company expects sales growth of 7% to 8% and
capital spending near $90 million, two thirds of it for the new plant in Ohio. Shares rose 3.4% in
early trading before giving up the gain. Analysts will watch whether the price increase announced
for January sticks; a one point loss of volume would, by our estimate, cost some 2 cents a share.
We keep our hold rating and a target of 38.)",
    R"(Thank you for calling, this is Denise, how can I help? — Hi, yes, my internet's been off
since about seven this morning and there's a red light on the box. — I'm sorry to hear that. Can I
take your postcode and the name on the account? — It's BT4 8QL, and it's under my wife's name,
Fiona Garrity. — Lovely. And you're on the account too? — I should be. Colm. — I see you here,
Colm. Is the red light steady or flashing? — Flashing. Well, it flashes twice and stops. — Right,
that means it can see the line but can't log on. Could you hold the little button at the back with
a pin for ten seconds for me? — Hang on... It's gone off. Is that good? — That's good, it'll take
three minutes to come back. While we wait, have you had any building work done? — Funny you should
say that, a man drilled through the wall yesterday for the telly. — Ah. — Ah. It's come back red. —
Then I'll book an engineer. I have tomorrow between eight and one. There's no charge unless the
damage is inside the house. — And if it's the man with the drill? — Then it's sixty-five pounds,
I'm afraid.)",
    R"(You did not hear this from me, but Gloria and the choirmaster are not speaking. It goes
back to the harvest supper, when he gave the solo to that girl from the new estate, who has a
lovely voice, nobody says she hasn't, but she'd been in the choir five minutes and Gloria has done
it every year since her hip. So Gloria said, quite loudly, that some people could be turned by a
pretty hat, and he heard, and his wife heard, and Mrs. Dunmore dropped the trifle. Well. The next
Sunday Gloria sat in the back row with her arms folded and didn't open her mouth for a single hymn.
Now I'm told she's been seen at the Methodists'. Twice! And her sister Pat, who you'd think would
take her side, has gone and offered the girl a lift to rehearsals, because they live on the same
road, she says, though we all know Pat has been waiting thirty years to get her own back over the
business with the caravan. I don't take sides. I only said to the vicar that somebody ought to have
a word, and he went rather pink and asked if I'd seen the roof.)",
    R"(Suppose every plank of a ship is replaced, one each year, until none of the old wood is
left. Most of us want to say it is the same ship, because at no moment did it stop being one.
Suppose then that someone has kept the old planks and puts them together again in another harbour.
Which of the two is the ship? The puzzle seems to be about wood, but it is about the word "same".
We use it as though there were one relation it names, when in fact we ask for different things at
different times: the insurer wants a history, the museum wants the matter, the captain wants
something that sails. It may be that there is no further fact to be found once we have told the
whole story of the planks. Yet when the question turns to persons, we are reluctant to be so
relaxed. If I ask whether it is I who shall wake up tomorrow, I do not feel that I am asking how to
use a word. Is this feeling evidence of something deep, or only of how much we care? A philosopher
who answers too quickly has probably not felt the difficulty.)",
    R"(Today will start grey and misty in the valleys, with some freezing fog that may be slow to
clear near the river. By late morning the sun should break through in most places, and with light
winds it will feel mild for January, with highs of 8 to 10 degrees. Cloud thickens from the west
after dark and rain reaches the coast around midnight, turning to sleet and then snow above 300
metres. On Tuesday expect a wet and blustery day for all of us: 15 to 25 mm of rain, locally 40 mm
on the southern hills, and gusts of 80 km/h along exposed shores. A yellow warning is in force from
3 a.m. to 6 p.m. Temperatures drop sharply behind the front, so surfaces that are wet at dusk are
likely to be icy by nine. Wednesday and Thursday look dry, bright and cold, minus 4 at dawn in
sheltered spots, with a thin northerly breeze. Looking further ahead, there are signs of a change
at the weekend, although the models disagree: half of them bring another storm, and the others keep
high pressure right over the top of us. Pollen low, sunset 4:21.)",
    R"(SETTING UP. Shuffle the forty terrain cards and lay out five rows of eight, face down. Each
player takes a pawn, six cubes of the same colour and three supply tokens. The player who most
recently slept in a tent goes first. YOUR TURN. You have three actions, in any combination: move to
a neighbouring card and turn it up; gather, if you stand on forest or river (roll one die, on 4 or
more take a token); build, by paying two tokens and placing a cube; or trade one for one with a
pawn on the same card. You may not end your turn on a swamp unless you discard a token. If you
reveal the Storm, all players lose their last action and the card is shuffled back. END OF THE
GAME. As soon as somebody places a sixth cube, finish the round, so that everyone has had the same
number of turns. Score 2 points for each cube, 3 more for every line of three, and 1 for each pair
of unused tokens. Ties go to whoever explored fewer cards. For two players remove the cards with a
red corner. VARIANT: in the team game, partners may show each other their tokens but must not
speak.)",
    R"(How far is the moon? About 384,000 kilometres on average.
Can I freeze cooked rice? Yes, cool it quickly, freeze it the same day and use it within a month.
What is the plural of ox? Oxen.
Who looks after the shared printer? Ask Joanna on the second floor.
When did the shop move? In the summer of 2016, after the fire.
Is it worth repairing a ten-year-old boiler? Perhaps, if the part costs less than a fifth of a new
one.
How do I undo the last commit but keep my changes? Run git reset --soft HEAD~1.
Why is the sky red at sunset? The light crosses more air, which scatters the blue out of it.
Do cats see colours? Some, mainly blues and yellows.
Where can I leave my luggage? There are lockers beside platform 3, five euros a day.
What does "ad hoc" mean? Made for this one purpose.
Are you allergic to anything? Penicillin, and I think strawberries.
How old is your brother? He turned thirty-four in May.
What time does the pharmacy close? At half past six, at noon on Saturdays.
Is tipping expected? It is welcome, not required.
Which bus goes to the airport? The X90, every twenty minutes.)",
    R"(My dear Rosalind, your parcel came on Friday, rather squashed but with nothing broken, and
we have been arguing ever since about who may have the last piece of marzipan. Thank you also for
the photographs. How tall Edwin has become! He has Grandfather's ears, poor boy, and I hope he gets
the good humour that went with them. Here there is not much to tell. Walter had his cataract done
in February and now complains that the house is dusty, which it always was. The young couple who
took the Hendersons' place have bought hens, and one of them, the hen I mean, walks in at our back
door each morning at ten as if she had an appointment. I have joined a class in Italian, being
seventy-six and thinking it was about time; we are seven women and one retired dentist, who speaks
best because he is not afraid of mistakes. You asked about the piano. Please do take it, I cannot
play any more with these hands, and it ought to be in a house with children. Come in June when the
roses are out, and stay a fortnight at the very least. Your loving aunt, Winifred)",
    R"(The humpback whale sings only in certain waters and only, so far as we know, if it is male.
A song lasts from five to thirty minutes and is built like a set of boxes: short sounds form
phrases, phrases are repeated to form themes, and themes follow each other in a fixed order. All
the males in one population sing much the same song in a given season, yet the song changes as the
months go by, a note lengthened here, a theme dropped there, and everyone keeps up with the
changes. Now and then a quite different song arrives from a neighbouring population and replaces
the old one within two years, rather as a fashion does. Whether it is meant for females, for rivals
or for both is still disputed. Adults measure thirteen to sixteen metres and weigh up to thirty
tonnes; they feed in cold polar seas in summer and live off their blubber through the winter, when
they calve in the tropics. Each tail fluke carries a pattern of black and white as individual as a
fingerprint, which allows researchers to follow single animals, with nothing but a camera, for
several decades.)",
    R"(小雨：周六晚上聚餐你来不来？地方定在南门那家火锅店，六点半。
阿哲：来啊，不过我可能晚二十分钟，下午要送我妈去车站。
小雨：没事，先给你留位子。对了，陈晨也从成都回来了，他说五月十二号就要走。
阿哲：真的？我都两年没见他了，上次还是在他婚礼上。他老婆也来吗？
小雨：不来，刚生完孩子，是个女儿，六斤八两，名字叫陈一诺。
阿哲：哇，那得包个红包，咱们一起凑吧，一人三百怎么样？
小雨：行。你别再迟到了，上回你说二十分钟，结果我们等了一个多小时，毛肚都吃完了。
阿哲：那次真是堵车！这回我坐地铁，三号线直达。要不要我带瓶酒？
小雨：别带了，我第二天还得加班呢。你把相机带上就行，好久没拍合影了。
阿哲：好嘞，周六见。)",
    R"(尊敬的刘经理：您好！贵司三月五日的来函已收悉。关于第二季度的采购计划，我方经过内部讨论，现回复如下：一、原定的五千套包装盒数量不变，单价按上次会议商定的每套四元二角执行；二、首批两千套请于四月十八日之前送达苏州仓库，其余三千套可以在五月底前分两次交付；三、付款方式仍为货到验收合格后三十天内电汇，发票请开具增值税专用发票。另外，上一批货中有四十六套印刷偏色，照片已附在附件里，烦请贵司品质部门查明原因，并在下一批中补齐。如对以上内容有不同意见，请在本周五下班前告知，以便我们及时调整生产安排。感谢贵司一直以来的支持与配合，期待下周二的电话会议。顺祝商祺！采购部 周敏)",
    R"(番茄牛腩的做法并不难，关键是要有耐心。准备牛腩一公斤，切成三厘米见方的块，冷水下锅，放几片姜和一勺料酒，煮开后撇去浮沫，捞出用温水冲干净。番茄五个，顶上划十字，用开水烫一下去皮，三个切碎，两个切大块。锅里放少许油，小火炒化一小把冰糖，下牛肉翻炒上色，再加葱段、姜片、两颗八角和一片香叶，倒入两勺生抽。接着放切碎的番茄，炒出红色的汁水，加开水没过牛肉，盖上盖子，转小火炖一个半小时。等肉用筷子能轻轻扎透的时候，放入剩下的番茄和适量的盐，再炖二十分钟，最后大火收一收汤汁，撒上香菜就可以出锅了。记住盐一定要晚放，否则肉会发柴。第二天热一热拌面吃，味道更好。)",
    R"(本报讯 昨天上午九时，我市第四条跨江大桥正式通车。大桥全长三千二百六十米，双向六车道，两侧设有人行道和非机动车道，总投资约二十七亿元，历时三年零八个月建成。通车以后，从老城区到江北新区的车程将由原来的五十分钟缩短到十五分钟左右。家住江北的退休教师孙老师一早就带着孙子赶来，他说自己年轻的时候过江要坐轮渡，遇到大雾就得等上半天，没想到有一天可以散步走过去。市交通部门提醒，通车第一周车流量较大，请市民尽量选择公共交通出行，新增的七十二路和一百零八路公交车已同步开通，首班车六点，末班车二十二点三十分。据了解，大桥试运行期间禁止载重十吨以上的货车通行，具体恢复时间另行通知。)",
    R"(十一月三日，阴，有风。早上醒来的时候窗户上全是雾，我用手指在上面画了一只猫，画得不像，倒像一只胖兔子。今天终于把论文的第三章交了上去，老师只回了两个字：收到。我盯着这两个字看了很久，想看出一点喜怒来，什么也没有看出来。中午一个人在食堂吃面，隔壁桌的两个新生在为要不要转专业争得面红耳赤，我忽然想起四年前的自己，也是那样坐着，也是那样着急。下午给家里打了电话，爸爸说院子里的柿子熟了，摘了满满两筐，送了一筐给二姨，剩下的等我回去吃。我说要到腊月呢，他说那就冻起来。放下电话，心里软软的，也酸酸的。晚上风更大了，路灯底下的叶子跑得比人还快。明天要早起去图书馆还书，别忘了带伞。)",
    R"(这个改动整体思路没问题，有三点意见。第一，下面这个函数在列表为空的时候会除以零：

    def average(values):
        total = sum(values)
        return total / len(values)

建议先判断长度，为空时返回 None，并在注释里写清楚，调用的地方也要相应处理。第二，读配置文件的时候没有指定编码，在 Windows 上遇到中文路径会报错，请统一加上 encoding="utf-8"。第三，重试的逻辑写在了循环里面，失败之后没有等待，网络一抖动就会连续发出几十个请求，上个月线上就出过类似的故障。可以用指数退避，最多重试五次，总时间不要超过三十秒。另外变量名 a1、a2 看不出含义，改成 start_time 和 end_time 会好很多。测试覆盖得不错。改完以后直接合并就可以，不用再等我看一遍。)",
    R"(如果只有两天时间，建议第一天留给古城，第二天留给湖边。古城不大，从东门走到西门不过四十分钟，但是岔路多，值得慢慢逛。清早先去钟楼旁边的小摊喝一碗豆浆，配刚出锅的油条，然后趁游客还少的时候登上城墙，可以看见整片青灰色的屋顶。中午避开主街，往南走两条巷子，有几家本地人常去的米粉店，十几块钱就能吃饱。下午参观书院，门票三十元，学生半价，周一闭馆。第二天坐九点的旅游专线去湖边，大约一个半小时，租一辆自行车沿湖骑行，全程二十六公里，体力不够的话骑到渔村再坐船回来就好。春天看油菜花，秋天看芦苇，夏天紫外线强，一定要戴帽子。住宿推荐古城北边的客栈，安静而且方便停车。节假日价格会翻倍，最好提前两周预订。)",
    R"(很多人以为高血压没有症状就不用管，其实这是最常见的误解。血压长期偏高，会悄悄损伤心脏、大脑、肾脏和眼底的血管，等到头晕、胸闷的时候，往往已经有了并发症。成年人每年至少应该量一次血压，如果在安静状态下，不同日子里三次测量都达到或超过一百四十比九十，就应当去医院进一步检查。生活上要做到少盐，每天不超过五克，多吃新鲜蔬菜，控制体重，戒烟限酒，每周坚持五次左右、每次半小时的快走或者游泳。已经开始服药的病人，不要因为血压正常了就自己停药，也不要听别人说哪种药好就随便更换，应该定期复诊，由医生来调整。量血压之前先坐着休息五分钟，半小时内不要喝咖啡和抽烟。如果突然出现剧烈头痛、说话不清或者一侧手脚无力，要立刻拨打急救电话。)",
    R"(你好，我要投诉。我八月十九号在你们店里下单买了一台空气炸锅，订单尾号是五五七二，付款三百六十九元，页面上写的是四十八小时内发货，结果等了八天才收到。打开箱子一看，外壳上有一道很长的划痕，说明书也没有，而且插上电以后显示屏根本不亮。我当天就联系了客服，客服让我拍照片，我拍了；又让我拍视频，我也拍了；然后就说已经登记，请耐心等待。现在过去整整十二天了，没有任何人给我打过电话。昨天我再去问，换了一个客服，居然让我从头再说一遍，还说超过七天不能退货。请问这七天是怎么算的？是我在拖还是你们在拖？我的要求很简单：全额退款，来回运费由你们承担，三天之内给我明确的答复，否则我会向消费者协会反映。)",
    R"(雨是从屋檐的第三片瓦开始的。它先试着落一滴，听一听石阶的回声，觉得还算满意，才把其余的话慢慢说出来。我坐在门槛上，膝盖上放着一本没有翻开的书，书里夹着去年的银杏叶，叶子里夹着去年的黄昏。谁家的风铃响了一下，像一个人欲言又止。巷子尽头，卖花的老人把担子挪到树底下，白兰花在湿布里睡着，香气却醒了，沿着墙根一路走到我的面前，停下来，好像认得我。我想起有一年的夏天，你也是这样停下来的，手里拿着一把收拢的伞，水珠顺着伞尖，一颗一颗地，替你数着没有说出口的句子。后来天晴了，你走了，路面上留下许多小小的镜子，每一面里都有一朵云，每一朵云都不肯看我。雨还在下。书还没有翻开。茶已经凉了两次。)",
    R"(同学们，今天我们来讲浮力。先做一个小实验：把一块橡皮泥揉成团放进水里，它沉下去了；把同一块橡皮泥捏成小碗的形状，它却浮在水面上。质量没有变，为什么结果不同呢？关键在于排开水的体积。阿基米德告诉我们，浸在液体里的物体受到向上的浮力，大小等于它排开的液体所受的重力。橡皮泥团排开的水少，浮力小于重力，所以下沉；捏成碗以后，能够排开更多的水，当浮力等于重力的时候，它就漂浮了。万吨巨轮用钢铁造成，也是同样的道理。请大家注意，浮力的大小跟物体浸没以后的深度没有关系，这是考试里最容易出错的地方。现在思考一个问题：一艘船从长江驶入大海，海水的密度比河水大，船身是上浮一些还是下沉一些？浮力变了没有？请写在练习本上，下节课提问。)",
    R"(第九条 租金及押金。本合同租赁期限为二十四个月，自二〇二三年六月一日起至二〇二五年五月三十一日止。月租金为人民币五千八百元整，乙方应于每季度首月五日之前一次性支付当季租金，逾期支付的，每逾期一日，应按欠付金额的万分之五向甲方支付违约金；逾期超过十五日的，甲方有权解除合同并收回房屋。乙方应于签订本合同之日向甲方支付押金一万一千六百元，租赁期满且乙方结清水、电、燃气、物业等费用后，甲方应在七个工作日内无息退还。第十条 未经甲方书面同意，乙方不得转租，不得改变房屋结构和用途。第十一条 任何一方提前解除合同的，应提前三十日书面通知对方，并支付相当于一个月租金的违约金。因不可抗力导致合同无法履行的，双方互不承担责任。)",
    R"(好，现在场上比分二十三比二十二，第五局，客队只领先一分，轮到主队发球。七号林晓走到底线后面，她今天发球已经拿了四分，看看这一次选择什么线路。哨声响了，抛球，起跳，力量很大！对方一传半到位，二传手跑到三米线外面，只能调整到四号位，扣球，拦起来了！还在打，后排鱼跃救球，漂亮！球过网了，客队没有想到，轻轻一吊，主队自由人扑上去，手背垫起来，二传背飞，十一号赶到，打手出界！二十三平！全场观众都站起来了。客队教练马上叫了最后一次暂停。张指导，您觉得接下来应该怎么打？我看还是要敢发球，对方主攻手的体力下降得很厉害，刚才那两次起跳高度明显不够了，这个时候谁手软谁就输。)",
    R"(本周待办：一，周一上午十点去银行办理工资卡挂失，带身份证；二，给幼儿园交下学期的伙食费，四百八十元，截止到周三；三，打印机没墨了，买黑色的，型号写在冰箱贴上；四，给奶奶预约二十六号的眼科复查，要空腹吗？打电话问清楚；五，周四例会的材料还差第二部分的数据，找小郑要；六，洗车，顺便看看左后胎是不是又慢撒气；七，买菜：豆腐、青椒、鸡蛋、挂面、酱油，别再买香菜了；八，把大衣送去干洗，上次的票还在口袋里；九，还老吴的电钻，带两斤橘子；十，妈妈生日是农历十月初九，查一下阳历是哪天，蛋糕要少糖的；十一，取快递三个，其中一个到付；十二，早睡，至少有两天不要看手机看到一点。)",
    R"(从前，大山里有一个小村子，村口住着一位只有一颗牙的老奶奶。老奶奶养了一只会打算盘的乌鸦，谁家的鸡丢了，谁家借了几升米，乌鸦噼里啪啦一打，清清楚楚，从来不错。有一天，山里来了一个贪心的货郎，想把乌鸦骗走替他算账，就拿出一面亮闪闪的镜子说：“你看，城里的鸟都住在这样的房子里。”乌鸦歪着头看了看，说：“里面那一位，怎么跟我长得一模一样？我问它三加五等于几，它也不吭声，可见是个不识数的。我不跟它做邻居。”货郎又拿出一串红珠子，乌鸦数了数，说：“你说一百颗，其实是九十七颗，少的三颗在你左边的袖子里。”全村的人都笑了起来，货郎红着脸挑起担子就跑。从那以后，村里的孩子学数数，都要先给乌鸦鞠一个躬。)",
    R"(面试官：请简单介绍一下你自己。应聘者：您好，我叫何佳宁，今年二十七岁，本科学的是物流管理，毕业以后在一家连锁超市做了四年的库存分析。面试官：为什么想换工作？应聘者：原来的公司去年把总部搬到了深圳，我的家人都在武汉，所以想留下来。面试官：你觉得自己最大的缺点是什么？应聘者：以前不太会拒绝别人，手上的事情越堆越多。后来我学会了先问对方什么时候要，再排顺序，好了很多。面试官：如果仓库的数据和系统对不上，你会怎么办？应聘者：先把差异按金额从大到小排列，抽最大的十项去现场盘点，多半是单位换算或者退货没有入账。面试官：期望的薪资呢？应聘者：税前九千到一万，最快下个月十五号可以到岗。)",
    R"(宋代的城市和前代相比，有一个很大的变化，就是坊墙渐渐消失了。唐代的长安，居民住在一个一个封闭的坊里，天一黑坊门关闭，街上便不许行人走动，买卖也只能在东西两市进行。到了北宋的汴京，店铺可以临街开设，夜市直到三更才散，五更又有早市开张，茶坊酒肆、说书杂耍，通宵不绝。商业的繁荣带来了新的工具：四川的商人嫌铁钱太重，最早使用纸质的交子，后来由官府接手发行。与此同时，雕版印刷普及，书价下降，普通人家的子弟也有机会读书应考，科举出身的官员比例大大提高，世家大族的影响随之减弱。不过繁荣的另一面是财政的压力，养兵的费用和每年送给北方邻国的银绢，使得朝廷不得不一次又一次地讨论变法，而每一次变法又引起了长久的党争。)",
    R"(截至上周五收盘，该基金单位净值为一点三八六四元，今年以来上涨百分之六点二，同期业绩比较基准上涨百分之四点七。从持仓来看，股票仓位由上季度末的百分之八十一降到百分之七十四，主要减持了前期涨幅较大的半导体，增加了电力和家电，前十大重仓股合计占净值的百分之四十三。债券部分以三年以内的高等级信用债为主，久期控制在二点一年。基金经理在季报中表示，下半年利率仍有小幅下行的空间，出口数据可能放缓，因此更看重现金流稳定、分红率在百分之四以上的公司。费用方面，管理费每年百分之一点二，持有不满七天赎回收取百分之一点五的费用，满两年免赎回费。过去的业绩不代表将来的表现，投资者应根据自己的风险承受能力，不要把短期要用的钱投进来。)",
    R"(客服：您好，请问有什么可以帮您？用户：我昨天交了两百块话费，到现在还是停机。客服：请您提供一下手机号码的后四位。用户：三零六九。客服：好的，机主是姓邓吗？用户：对，邓国强，是我爸，他不会弄，我帮他打的。客服：我查到昨天十七点零四分有一笔两百元的充值，不过充到了尾号三零九六的号码上。用户：啊？那不就是输反了吗！还能退回来吗？客服：如果对方还没有使用，我们可以帮您申请，需要您提供付款截图，一般三到五个工作日有结果。用户：那我爸这几天怎么办，他还等着医院的电话呢。客服：我先给您开通四十八小时的紧急复机，现在就可以接打电话，您看可以吗？用户：太好了，谢谢你啊。)",
    R"(地球离太阳多远？平均大约一亿五千万公里。
隔夜的茶能喝吗？没有变质就可以，不过味道会差一些。
“踌躇”怎么读？读作 chóu chú，意思是犹豫不决。
明天几点集合？早上七点二十，在学校西门。
绿萝叶子发黄怎么办？多半是水浇多了，等土干透再浇。
你妹妹在哪儿上班？在杭州一家律师事务所，去年刚转正。
怎么查看端口被谁占用？可以用 lsof -i 加上端口号。
钥匙放在哪里？门口鞋柜的第二个抽屉。
高铁票可以改签几次？一般只能改签一次，开车前办理。
为什么冬天容易有静电？因为空气干燥，电荷不容易散掉。
人为什么会打哈欠？原因还没有定论，可能和困倦、体温调节有关。
老张退休几年了？快三年了，现在天天钓鱼。
发票丢了能补吗？电子发票可以重新下载，纸质的要找商家开证明。
三的五次方是多少？二百四十三。)",
};

}  // namespace

std::vector<std::string_view> GeneralText() { return {std::begin(kTexts), std::end(kTexts)}; }

}  // namespace liubai::memory
