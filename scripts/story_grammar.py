# SPDX-License-Identifier: MIT
"""Short children's stories, drawn from a grammar: the text that scripts/train_stories.py trains a model on.

A story has a hero, a friend, one of eight plots and an ending. Earlier options of a list are drawn more often, so that
a model prefers one of them clearly.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from typing import Final, TypeVar

T = TypeVar("T")

CHILDREN: Final = [
    ("Mia", "girl"), ("Tom", "boy"), ("Ella", "girl"), ("Ben", "boy"), ("Nora", "girl"), ("Max", "boy"),
    ("Rosa", "girl"), ("Leo", "boy"), ("Ida", "girl"), ("Finn", "boy"),
]  # fmt: skip
ANIMALS: Final = [
    ("Pip", "mouse"), ("Bruno", "bear"), ("Hazel", "rabbit"), ("Otto", "fox"), ("Luna", "cat"), ("Rex", "dog"),
    ("Daisy", "duck"), ("Moss", "frog"), ("Olive", "owl"), ("Nut", "squirrel"),
]  # fmt: skip
SHE: Final = {"girl", "rabbit", "cat", "duck", "owl"}
SIZES: Final = ["little", "small", "kind", "brave", "happy", "clever"]
HOMES: Final = {
    True: ["in a small house near the woods", "on a farm", "in a white house by the sea", "in a village on a hill"],
    False: ["in the woods", "under a big old tree", "by a quiet pond", "behind a red barn"],
}  # by whether the hero is a child
HOBBIES: Final = [
    "play in the sun", "sing songs", "run in the grass", "look at the clouds", "pick flowers", "count the stars",
]  # fmt: skip
OPENINGS: Final = [
    "Once upon a time, there was a {size} {kind} named {name}. {He} lived {home} and loved to {hobby}.",
    "Once there was a {size} {kind}. {His} name was {name}, and {he} lived {home}. {name} loved to {hobby}.",
    "{name} was a {size} {kind} who lived {home}. Every day, {he} liked to {hobby}.",
]
DAYS: Final = ["One day", "One morning", "One sunny day", "One cold day", "One evening"]
PLACES: Final = ["in the garden", "at the river", "in the park", "in the forest", "on the hill", "at the beach"]
THINGS: Final = ["ball", "hat", "drum", "key", "book", "kite", "spoon", "boat"]
COLOURS: Final = ["red", "blue", "yellow", "green", "white"]
SPOTS: Final = ["under the bed", "behind the door", "in the tall grass", "under a bush", "in a box", "near the gate"]
FRUITS: Final = ["apple", "pear", "plum", "cherry", "nut"]
FOODS: Final = ["cake", "pie", "piece of bread", "bowl of soup", "bag of berries"]
SHELTERS: Final = ["cave", "barn", "hollow tree", "small hut"]
WORKS: Final = [("boat", "floated on the water"), ("kite", "flew high in the sky"), ("tower", "stood tall and strong"),
                ("swing", "went up and down"), ("sled", "ran fast down the hill")]  # fmt: skip
SOUNDS: Final = ["a strange sound", "a loud bump", "a soft knock", "a long howl"]
ANSWERS: Final = ['"Do not worry," said {friend}.', '"I can help you," said {friend}.', '"Do not cry," said {friend}.']
THANKS: Final = [
    '"Thank you," said {name}, and gave {friend} a big hug.', '"Thank you, {friend}," {he} said with a smile.',
    "{name} smiled and thanked {friend}.",
]  # fmt: skip
FRIENDS: Final = [
    "From that day on, {name} and {friend} were best friends.",
    "{name} and {friend} played together until the sun went down.",
    "Then they went home together, and they were very happy.",
    "That night, {name} slept well and dreamed of {friend}.",
]
# The sentences of each plot; then what the hero learns.
PLOTS: Final[list[tuple[list[list[str]], str]]] = [
    ([["{day}, {name} could not find {his} {colour} {thing}.", "{day}, {name} lost {his} {colour} {thing} {place}."],
      ["{He} looked {spot} and {spot2}, but it was not there.", "{He} looked {spot}, but the {thing} was not there."],
      ["{name} was sad and began to cry.", "{name} sat down and cried."],
      ['Then {friend} the {fkind} came by. "What is wrong?" asked {friend}. "I lost my {thing}," said {name}.'],
      ANSWERS,
      ["They looked and looked. At last, {friend} found the {thing} {spot3}.",
       "Together they looked {place2}, and there was the {thing}!"],
      THANKS],
     "it is good to ask for help"),
    ([["{day}, {name} saw a big {colour} {fruit} at the top of a tree."],
      ["{He} jumped and jumped, but {he} could not get it.", "{He} wanted to eat it, but the tree was too tall."],
      ['Then {friend} the {fkind} came by. "I want that {fruit}, but I am too small," said {name}.'],
      ['"Stand on my back," said {friend}.', '"I can shake the tree," said {friend}.', *ANSWERS[1:2]],
      ["So they worked together, and soon the {fruit} fell down.", "They tried again, and the {fruit} fell down."],
      ["{name} cut it in two, and they ate it {place}.", "They shared the {fruit}, and it was very sweet."]],
     "two can do more than one"),
    ([["{day}, {name} was far from home when it began to rain.", "{day}, {name} took a walk, and it began to rain."],
      ["The sky was dark, and the wind was very loud.", "{He} was wet and cold, and {he} was afraid."],
      ["{He} ran and ran until {he} saw a {shelter}. Inside sat {friend} the {fkind}."],
      ['"Come in," said {friend}. "It is warm and dry here."', '"Come in and sit by me," said {friend}.'],
      ["They told stories and waited for the rain to stop.", "They sang songs until the rain stopped."],
      ["Then the sun came out, and they saw a rainbow in the sky."]],
     "a friend is better than a warm coat"),
    ([["{day}, {name} had a big {food}. {He} wanted to eat it all alone.", "{day}, {name} sat {place} with a {food}."],
      ['Then {friend} the {fkind} came by. "I am so hungry," said {friend}.'],
      ["{name} looked at the {food}. {He} did not want to share it.", "{name} thought about it for a long time."],
      ["But {friend} looked so sad.", "But then {he} saw that {friend} was thin and sad."],
      ['"Here, take some," said {name}, and gave {friend} half of it.', '"Let us share it," said {name}.'],
      ["They ate together, and it tasted even better.", "The next day, {friend} came back with a {food2} for {name}."]],
     "it feels good to share"),
    ([["{night}, {name} heard {sound}.", "{night}, {name} could not sleep, because {he} heard {sound}."],
      ["{He} was afraid and hid under {his} blanket.", "It was dark, and {he} was very afraid."],
      ["Then {he} took a lamp and went to look.", "But {he} wanted to be brave, so {he} opened the door."],
      ["It was only {friend} the {fkind}, who was lost {place}.", "It was only {friend} the {fkind}, who was cold."],
      ['"Can I stay with you?" asked {friend}. "Yes, come in," said {name}.'],
      ["They drank warm milk and looked at the moon.", "{name} gave {friend} a warm blanket and some milk."]],
     "the dark is not so bad"),
    ([["{day}, {name} wanted to make a {work}. {He} took some wood and a rope."],
      ["{He} worked all day, but the {work} broke.", "But the wood was too short, and the {work} broke."],
      ['"I can not do it," said {name}, and {he} was sad.', '{name} was angry. "It is too hard," {he} said.'],
      ['Then {friend} the {fkind} came by. "Try again," said {friend}. "I can help you."'],
      ["They worked together {place}. {name} held the wood, and {friend} tied the rope."],
      ["Soon the {work} was ready, and it {worked}.", "This time the {work} did not break. It {worked}."]],
     "you should try again"),
    ([["{day}, {name} found {friend} the {fkind} {place}.", "{day}, {name} heard a cry. It was {friend} the {fkind}."],
      ['"What is wrong?" asked {name}. "I hurt my foot," said {friend}. "I can not walk."'],
      ["{name} ran home to get some water.", "{name} was small, but {he} wanted to help."],
      ["{He} washed the foot and sat with {friend} all day.", "{He} took {friend} home and made a soft bed."],
      ["The next morning, {friend} could walk again.", "Soon {friend} could run and jump again."],
      ['"You are so kind," said {friend}.', '"Thank you, {name}," said {friend}.']],
     "it is good to be kind"),
    ([["{day}, {name} went to see {friend} the {fkind} {place}."],
      ['"Let us have a race to the {goal}," said {friend}.', '"I can run faster than you," said {friend}.'],
      ["They ran and ran. {friend} was very fast, and {name} was slow."],
      ["But then {friend} fell over a stone.", "Then {friend} stopped to rest and fell asleep."],
      ["{name} stopped and helped {friend} to get up.", '{name} came back. "Get up, {friend}," {he} said.'],
      ["They went to the {goal} hand in hand, and both of them won."]],
     "it is more fun to win together"),
]  # fmt: skip
MORALS: Final = ["{name} learned that {moral}.", "And so {name} learned that {moral}."]


def _draw(chance: random.Random, options: Sequence[T]) -> T:
    (one,) = chance.choices(options, [1 / (place + 1) for place in range(len(options))])
    return one


def story(chance: random.Random) -> str:
    """Return one story."""
    heroes = [*CHILDREN, *ANIMALS]
    name, kind = _draw(chance, CHILDREN if chance.random() < 0.6 else ANIMALS)
    friend, friend_kind = _draw(chance, [one for one in heroes[::-1] if one[1] not in ("girl", "boy", kind)])
    he, his = ("she", "her") if kind in SHE else ("he", "his")
    spots = chance.sample(SPOTS, 3)
    places = chance.sample(PLACES, 2)
    work, worked = _draw(chance, WORKS)
    sentences, moral = _draw(chance, PLOTS)
    day = _draw(chance, DAYS)
    words = {
        "name": name, "kind": kind, "friend": friend, "fkind": friend_kind, "he": he, "his": his,
        "He": he.capitalize(), "His": his.capitalize(), "size": _draw(chance, SIZES),
        "home": _draw(chance, HOMES[kind in ("girl", "boy")]), "hobby": _draw(chance, HOBBIES), "day": day,
        "night": _draw(chance, ["One night", "One dark night", "One cold night"]),
        "place": places[0], "place2": places[1], "spot": spots[0], "spot2": spots[1], "spot3": spots[2],
        "thing": _draw(chance, THINGS), "colour": _draw(chance, COLOURS), "fruit": _draw(chance, FRUITS),
        "food": _draw(chance, FOODS), "food2": _draw(chance, FOODS), "shelter": _draw(chance, SHELTERS),
        "work": work, "worked": worked, "sound": _draw(chance, SOUNDS), "moral": moral,
        "goal": _draw(chance, ["river", "old oak", "gate", "bridge"]),
    }  # fmt: skip
    parts = [OPENINGS, *sentences]
    parts += [FRIENDS, MORALS] if chance.random() < 0.5 else [MORALS] if chance.random() < 0.5 else [FRIENDS]
    text = " ".join(_draw(chance, options) for options in parts).format(**words)
    return re.sub(r"\ba (?=[aeiou])", "an ", text)
