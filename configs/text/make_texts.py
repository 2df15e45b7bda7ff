#!/usr/bin/env python3
"""Writes the texts that configs/text_next.ini, text_masked.ini, tags.ini, classes.ini and
animals.ini train on.

usage: make_texts.py FOLDER

All of it is made here, from small grammars and lists of words:

  stories.txt.gz      parades: "Enter Vera under Otto beside Mira." Each sentence repeats the row of the one before,
                      so that most of its words follow from what came after the same word last time. Heads that look
                      there, induction heads, are worth having.
  treebank.conllu.gz  sentences with their trees. Many words have two tags ("she walks", "the walks"): only their
                      neighbours tell which. A verb agrees with its subject, past what stands between them.
  sentences.txt.gz    the treebank's sentences and more of the same language, one a line.
  messages.tsv.gz     messages to a shop, each with what it is: praise, complaint, both, question, order or cancel. No
                      word belongs to one of them: the order of words counts, and what "not" and "never" turn round.
  animals.tsv.gz      what stands where: in each text one rare word, an animal, and among frequent ones a colour. Where
                      the animal lives is one question, the colour another.

The same files come out each time; what they hold may be used by anyone for anything.
"""

import gzip
import random
import sys
from pathlib import Path


class Draw:
    """Choices from a seed. Only random() is the same in all versions of Python."""

    def __init__(self, seed):
        self.random = random.Random(seed).random

    def chance(self, share):
        return self.random() < share

    def below(self, n):
        return int(self.random() * n)

    def one(self, items):
        return items[self.below(len(items))]

    def two(self, items):
        first = self.below(len(items))
        second = (first + 1 + self.below(len(items) - 1)) % len(items)
        return items[first], items[second]


# ---------------------------------------------------------------------------------------------------------- stories

CALLS = ["Enter", "Behold", "Hail", "See"]
HEROES = ["Mira", "Oskar", "Nuri", "Pela", "Jonas", "Rike", "Emil", "Sora", "Wanda", "Dora", "Milo", "Greta", "Ivo",
          "Bruno", "Hilde", "Selma", "Anton", "Frida", "Tavo", "Lena", "Otto", "Vera", "Ruben", "Tilda"]
SIDES = ["behind", "beside", "above", "below", "before", "after", "without", "with", "under", "over", "near", "against"]


def some(draw, n, items):
    """n of the items, none twice."""
    items = list(items)
    return [items.pop(draw.below(len(items))) for _ in range(n)]


def story(draw):
    """A parade: each sentence puts one more in front and tells the whole row again."""
    n = 4 + draw.below(4)
    heroes, sides = some(draw, n, HEROES), some(draw, n - 1, SIDES)
    row, sentences = heroes[0], []
    for i in range(n):
        if i > 0:
            row = f"{heroes[i]} {sides[i - 1]} {row}"
        sentences.append(f"{draw.one(CALLS)} {row}.")
    return " ".join(sentences)


STORIES = 1600


def stories():
    draw = Draw(1)
    return "\n\n".join(story(draw) for _ in range(STORIES)) + "\n"


# --------------------------------------------------------------------------------------------------------- treebank

SINGULAR, PLURAL = 0, 1

# Nouns. Their forms are verbs, too: "she walks", "the walks"; "they saw", "the saw".
BOTH = ["walk", "dream", "plant", "paint", "hammer", "sail", "dance", "light", "fish", "farm", "cover", "answer",
        "visit", "rest", "saw"]
PEOPLE = ["king", "sailor", "teacher", "robot", "doctor", "child", "singer", "cook", "guard"]
THINGS = ["garden", "tower", "river", "letter", "table", "engine", "story", "window", "bird"]
MASS = ["bread", "water", "gold", "rain"]
ADJECTIVES = ["old", "small", "quiet", "green", "clever", "heavy", "early", "strange"]
ADJECTIVES_TOO = ["light", "cold", "warm", "clean", "open", "dry"]  # nouns or verbs as well
NAMES = ["Mira", "Tavo", "Lena", "Oskar", "Nuri", "Pela", "Will", "Rose", "Mark"]
SURNAMES = ["Tolen", "Barska", "Winter", "Field"]
TRANSITIVE = ["see", "see", "find", "carry", "like", "clean", "open", "warm", "dry", "paint", "plant", "cook", "guard",
              "cover", "hammer", "answer", "visit", "light"]
INTRANSITIVE = ["walk", "dream", "dance", "sail", "rest", "sleep", "fish", "farm", "sing"]
SPEECH = ["say", "think", "know", "dream", "answer"]
WANT = ["want", "hope", "like"]
DETERMINERS = [["the", "the", "a", "this", "that", "every"], ["the", "the", "some", "these", "two"]]
ADPOSITIONS = ["in", "near", "on", "behind", "with", "like", "under", "by"]
ADVERBS = ["often", "early", "again", "well", "slowly", "near", "under", "still"]
PAST = {"see": "saw", "find": "found", "say": "said", "think": "thought", "know": "knew", "sleep": "slept",
        "sing": "sang", "light": "lit", "carry": "carried", "dry": "dried", "plant": "planted", "want": "wanted",
        "rest": "rested", "visit": "visited", "paint": "painted"}
THIRD = {"carry": "carries", "dry": "dries", "fish": "fishes"}
PLURALS = {"child": "children", "story": "stories", "fish": "fish"}
PRONOUNS = [("she", "Sing", SINGULAR), ("he", "Sing", SINGULAR), ("it", "Sing", SINGULAR), ("they", "Plur", PLURAL),
            ("we", "Plur", PLURAL), ("you", "Plur", PLURAL)]
OBJECTS = ["her", "him", "it", "them", "us"]


def third(verb):
    return THIRD.get(verb, verb + "s")


def past(verb):
    return PAST.get(verb, verb + ("d" if verb.endswith("e") else "ed"))


def plural(noun):
    return PLURALS.get(noun, noun + "s")


class Word:
    """A word of a tree: what hangs on it comes before it or after it, in order."""

    def __init__(self, form, upos, features="_", lemma=None):
        self.form, self.upos, self.features, self.lemma = form, upos, features, lemma or form
        self.before, self.after = [], []
        self.deprel = "root"
        self.glued = False  # written with the word before it, as in "don't"
        self.empty = None  # the form of an empty node that follows it

    def take(self, deprel, word, after=False):
        word.deprel = deprel
        (self.after if after else self.before).append(word)
        return self

    def words(self):
        return [w for d in self.before for w in d.words()] + [self] + [w for d in self.after for w in d.words()]


class Grammar:
    def __init__(self, draw):
        self.draw = draw

    def noun(self, number, person=False):
        lemma = self.draw.one(PEOPLE if person else PEOPLE + THINGS + BOTH)
        form = plural(lemma) if number else lemma
        return Word(form, "NOUN", "Number=Plur" if number else "Number=Sing", lemma)

    def determiner(self, number):
        form = self.draw.one(DETERMINERS[number])
        return Word(form, "NUM" if form == "two" else "DET")

    def nominal(self, depth, subject=False, person=False):
        """A noun phrase, and its number. One that a person can be, where what it does takes a person."""
        draw = self.draw
        kind = draw.random()
        if kind < 0.2:
            if subject:
                form, features, number = draw.one(PRONOUNS)
                return Word(form, "PRON", "Number=" + features), number
            return Word(draw.one(OBJECTS), "PRON"), SINGULAR
        if kind < 0.32:
            person = Word(draw.one(NAMES), "PROPN", "Number=Sing")
            if draw.chance(0.4):
                person.take("flat", Word(draw.one(SURNAMES), "PROPN", "Number=Sing"), after=True)
            return person, SINGULAR
        if kind < 0.38 and not person:
            return Word(draw.one(MASS), "NOUN", "Number=Sing"), SINGULAR
        number = draw.below(2)
        head = self.noun(number, person)
        if not (number == PLURAL and draw.chance(0.25)):
            word = self.determiner(number)
            head.take("nummod" if word.upos == "NUM" else "det", word)
        if draw.chance(0.35):
            head.take("amod", Word(draw.one(ADJECTIVES + ADJECTIVES_TOO), "ADJ"))
        if depth > 0 and draw.chance(0.25):
            head.take("nmod", self.adpositional(0), after=True)
        if depth > 0 and draw.chance(0.2):
            head.take("acl:relcl", self.relative(number), after=True)
        return head, number

    def adpositional(self, depth):
        head, _ = self.nominal(depth)
        head.before.insert(0, Word(self.draw.one(ADPOSITIONS), "ADP"))
        head.before[0].deprel = "case"
        return head

    def finite(self, lemma, number, tense):
        if tense == "Past":
            return Word(past(lemma), "VERB", "Tense=Past|VerbForm=Fin", lemma)
        if number == PLURAL:
            return Word(lemma, "VERB", "Number=Plur|Tense=Pres|VerbForm=Fin", lemma)
        return Word(third(lemma), "VERB", "Number=Sing|Tense=Pres|VerbForm=Fin", lemma)

    def verb(self, lemma, number):
        """A verb in the present, in the past, with an auxiliary, or denied."""
        draw = self.draw
        kind = draw.random()
        if kind < 0.45:
            return self.finite(lemma, number, "Pres")
        if kind < 0.7:
            return self.finite(lemma, number, "Past")
        head = Word(lemma, "VERB", "VerbForm=Inf")
        if kind < 0.88:
            return head.take("aux", Word(draw.one(["will", "can", "must"]), "AUX", "VerbForm=Fin"))
        does = "does" if number == SINGULAR else "do"
        head.take("aux", Word(does, "AUX", "Tense=Pres|VerbForm=Fin", "do"))
        denied = Word("n't" if draw.chance(0.6) else "not", "PART", "Polarity=Neg", "not")
        denied.glued = denied.form == "n't"
        return head.take("advmod", denied)

    def relative(self, number):
        head = self.finite(self.draw.one(TRANSITIVE), number, self.draw.one(["Pres", "Pres", "Past"]))
        head.take("nsubj", Word("that", "PRON", "PronType=Rel"))
        return head.take("obj", self.nominal(0)[0], after=True)

    def clause(self, depth):
        draw = self.draw
        kind = draw.random()
        subject, number = self.nominal(depth, subject=True, person=0.15 <= kind < 0.4)
        if kind < 0.15:  # the garden is open / the robot is a cook
            if draw.chance(0.7):
                head = Word(draw.one(ADJECTIVES + ADJECTIVES_TOO), "ADJ")
            else:
                head = self.noun(number)
                if number == SINGULAR:
                    head.take("det", Word("a", "DET"))
            be = draw.one([["is", "was"], ["are", "were"]][number])
            head.before.insert(0, Word(be, "AUX", "VerbForm=Fin", "be"))
            head.before[0].deprel = "cop"
        elif kind < 0.3 and depth > 0:  # she knows that ...
            head = self.verb(draw.one(SPEECH), number)
            inner = self.clause(depth - 1)
            inner.before.insert(0, Word("that", "SCONJ"))
            inner.before[0].deprel = "mark"
            head.take("ccomp", inner, after=True)
        elif kind < 0.4:  # they want to ...
            head = self.verb(draw.one(WANT), number)
            inner = self.plain(Word(lemma := draw.one(TRANSITIVE + INTRANSITIVE), "VERB", "VerbForm=Inf"), lemma, 0)
            inner.before.insert(0, Word("to", "PART"))
            inner.before[0].deprel = "mark"
            head.take("xcomp", inner, after=True)
        else:
            lemma = draw.one(TRANSITIVE + INTRANSITIVE)
            head = self.plain(self.verb(lemma, number), lemma, depth)
        head.before.insert(0, subject)
        subject.deprel = "nsubj"
        return head

    def plain(self, head, lemma, depth):
        """What follows a verb."""
        draw = self.draw
        if lemma in TRANSITIVE:
            head.take("obj", self.nominal(depth)[0], after=True)
        if draw.chance(0.3):
            head.take("obl", self.adpositional(0), after=True)
        if draw.chance(0.25):
            head.take("advmod", Word(draw.one(ADVERBS), "ADV"), after=True)
        return head

    def gapped(self):
        """Mira carries bread and Tavo water: the second verb is an empty node."""
        draw = self.draw
        head = self.finite(draw.one(["carry", "see", "like", "cook"]), SINGULAR, "Pres")
        first, second = draw.two(NAMES)
        bread, water = draw.two(MASS)
        head.take("nsubj", Word(first, "PROPN", "Number=Sing"))
        head.take("obj", Word(bread, "NOUN", "Number=Sing"), after=True)
        other = Word(second, "PROPN", "Number=Sing")
        other.empty = head.form
        other.take("cc", Word("and", "CCONJ")).take("orphan", Word(water, "NOUN", "Number=Sing"), after=True)
        return head.take("conj", other, after=True)

    def sentence(self):
        """Its words, in order."""
        draw = self.draw
        if draw.chance(0.02):
            head = self.gapped()
        else:
            head = self.clause(1)
            kind = draw.random()
            if kind < 0.2:
                other = self.clause(0)
                other.before.insert(0, Word(draw.one(["and", "but", "or"]), "CCONJ"))
                other.before[0].deprel = "cc"
                head.take("conj", other, after=True)
            elif kind < 0.35:
                other = self.clause(0)
                other.before.insert(0, Word(draw.one(["when", "while", "because"]), "SCONJ"))
                other.before[0].deprel = "mark"
                head.take("advcl", other, after=True)
        words = head.take("punct", Word(draw.one([".", ".", ".", "!"]), "PUNCT"), after=True).words()
        for word, following in zip(words, words[1:]):
            if word.form == "a" and following.form[0] in "aeiou":
                word.form = "an"
        return words


def written(words):
    return "".join(("" if w.glued or w.upos == "PUNCT" or i == 0 else " ") + w.form for i, w in enumerate(words))


def conllu(number, words):
    place = {id(w): i + 1 for i, w in enumerate(words)}
    head = {id(d): place[id(w)] for w in words for d in w.before + w.after}
    lines = ["# newdoc id = chapter-%d" % (number // 50 + 1)] if number % 50 == 0 else []
    lines += ["# sent_id = %d" % (number + 1), "# text = " + written(words)]
    for i, w in enumerate(words):
        follows = words[i + 1] if i + 1 < len(words) else w
        if follows.glued:
            lines.append("\t".join([f"{i + 1}-{i + 2}", w.form + follows.form] + ["_"] * 8))
        space = "SpaceAfter=No" if follows.upos == "PUNCT" and not follows.glued else "_"
        columns = [str(i + 1), w.form, w.lemma, w.upos, "_", w.features, str(head.get(id(w), 0)), w.deprel, "_", space]
        lines.append("\t".join(columns))
        if w.empty:
            lines.append("\t".join([f"{i + 1}.1", w.empty] + ["_"] * 8))
    return "\n".join(lines) + "\n\n"


TREES, SENTENCES = 2000, 6000


def treebank():
    """The treebank, and the sentences: no sentence twice."""
    grammar = Grammar(Draw(2))
    trees, sentences, seen = [], [], set()
    while len(sentences) < SENTENCES:
        words = grammar.sentence()
        text = written(words)
        if text in seen or not 3 <= len(words) <= 24:
            continue
        seen.add(text)
        if len(trees) < TREES:
            trees.append(conllu(len(trees), words))
        sentences.append(text)
    return "".join(trees), "\n".join(sentences) + "\n"


# --------------------------------------------------------------------------------------------------------- messages

WARES = ["lamp", "clock", "chair", "kettle", "coat", "map", "radio", "table", "ladder", "basket"]
KINDS = ["old", "small", "green", "wooden", "new", "second"]
GOOD = ["good", "sturdy", "quick", "pretty", "clean", "quiet"]
BAD = ["bad", "broken", "late", "ugly", "dirty", "loud"]
PLAIN = ["", "", "i think that ", "everybody can say that ", "i would say that ", "you can say that "]
TURNING = ["i do not think that ", "nobody can say that ", "i would never say that "]


def ware(draw):
    kind = draw.one(KINDS) + " " if draw.chance(0.5) else ""
    return draw.one(["the ", "the ", "that ", "your "]) + kind + draw.one(WARES)


def where(draw):
    return draw.one(["", "", "", " from your shop", " in the box", " that you sent", " with the " + draw.one(WARES)])


def opinion(draw, good):
    """Says that something is good or bad, in words of either kind and up to two that turn it round."""
    turns = draw.below(3)
    adjective = draw.one(GOOD if good == (turns % 2 == 0) else BAD)
    outer = turns == 2 or (turns == 1 and draw.chance(0.5))
    inner = turns == 2 or (turns == 1 and not outer)
    be = draw.one(["is", "was"])
    turn = draw.one([" not", " never"]) if inner else ""
    start = draw.one(TURNING if outer else PLAIN)
    return f"{start}{ware(draw)}{where(draw)} {be}{turn} {draw.one(['', '', 'very ', 'so '])}{adjective}"


def question(draw):
    end = draw.one(["", "", "not ", "never "]) + draw.one(GOOD + BAD)
    be = draw.one(["is", "was"])
    what = ware(draw) + where(draw)
    form = draw.below(3)
    if form == 0:
        return f"{be} {what} {end}"
    if form == 1:
        return f"do you {draw.one(['', 'not '])}think that {what} {be} {end}"
    return f"would you {draw.one(['', 'not ', 'never '])}say that {what} {be} {end}"


def order(draw, wanted):
    """Asks for something to be sent, or not to be."""
    what = f"{ware(draw)}{where(draw)}"
    said = draw.one(["", "it is " + draw.one(GOOD + BAD) + " and ", "that is not " + draw.one(GOOD + BAD) + " but "])
    turned = draw.one(["", f" when the {draw.one(WARES)} is {draw.one(['', 'not '])}{draw.one(GOOD + BAD)}"])
    if draw.chance(0.5):
        return f"{said}{'' if wanted else 'do not '}send me {what}{turned}"
    return f"{said}i would {'' if wanted else draw.one(['not ', 'never '])}like to have {what}{turned}"


def message(draw, label):
    if label in ("praise", "complaint"):
        good = label == "praise"
        first = opinion(draw, good)
        return first + (draw.one([" and ", " but "]) + opinion(draw, good) if draw.chance(0.4) else "")
    if label == "both":
        good = draw.chance(0.5)
        return opinion(draw, good) + draw.one([" but ", " and "]) + opinion(draw, not good)
    return question(draw) if label == "question" else order(draw, label == "order")


LABELS = ["praise", "complaint", "both", "question", "order", "cancel"]
MESSAGES = 8000


def messages():
    draw = Draw(3)
    rows, seen = ["text\tlabel"], set()
    while len(rows) <= MESSAGES:
        label = draw.one(LABELS)
        text = message(draw, label)
        if text not in seen:
            seen.add(text)
            rows.append(text + "\t" + label)
    return "\n".join(rows) + "\n"


ANIMALS = {
    "air": "owl crow wren hawk kite finch swift heron".split(),
    "land": "fox hare mole wolf lynx bear goat deer".split(),
    "water": "eel cod crab seal squid trout whale perch".split(),
}
COLOURS = "red blue green".split()
STANDING = "box door hill tree boat road".split()
BETWEEN = "and near behind under".split()


def animals():
    draw = Draw(5)
    lines = ["text\tlives\tcolour"]
    for _ in range(2000):
        parts = [["the", draw.one(STANDING)] for _ in range(2 + draw.below(3))]
        colour = draw.one(COLOURS)
        draw.one(parts).insert(1, colour)
        lives = draw.one(sorted(ANIMALS))
        parts.insert(draw.below(len(parts) + 1), ["the", draw.one(ANIMALS[lives])])
        words = parts[0]
        for part in parts[1:]:
            words = words + [draw.one(BETWEEN)] + part
        lines.append("\t".join([" ".join(words), lives, colour]))
    return "\n".join(lines) + "\n"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.split("\n\n")[1])
    trees, sentences = treebank()
    files = {"stories.txt": stories(), "treebank.conllu": trees, "sentences.txt": sentences, "messages.tsv": messages(),
             "animals.tsv": animals()}
    for file, text in files.items():
        # No date in it, so that the same text gives the same file.
        (Path(sys.argv[1]) / (file + ".gz")).write_bytes(gzip.compress(text.encode(), 9, mtime=0))


if __name__ == "__main__":
    main()
