"""English words that say nothing about what a question is after.

They are left out of queries only, and only where other terms remain; the index keeps them all.
The last line holds what contractions leave behind once the apostrophe has split them.
"""

_WORDS = """
    a about am an and any are as at be been being but by can could did do does doing for from had has have
    having he her here hers him his how i if in into is it its itself just me my of on or our ours shall she
    should so some such than that the their theirs them then there these they this those to too us was we
    were what when where which while who whom whose why will with would you your yours
    aren couldn didn doesn don hadn hasn haven isn ll mustn re shouldn ve wasn weren wouldn
"""

STOP_WORDS = frozenset(_WORDS.split())
