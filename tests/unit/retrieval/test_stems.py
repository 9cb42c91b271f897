"""Stems by language and script: which forms of a word are found by each other."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from retrieval.analyzer import analyze, analyze_query
from retrieval.language import LANGUAGES, UNDETERMINED
from retrieval.stems import stem_word

FORMS = {
    "ar": ["كتاب الكتاب كتابها", "مدرسة المدرسة مدرسته", "إعداد اعداد", "أحمد احمد", "مُحَمَّد محمد"],
    "cs": ["kniha knihy knihou knihách", "soubor soubory souborů souborech"],
    "da": ["indstilling indstillinger indstillingerne", "hus huset husene"],
    "de": ["Haus Häuser Hauses", "Einstellung Einstellungen", "Übersetzung Übersetzungen", "Straße STRASSE"],
    "el": ["πόλη πόλεις", "ΚΑΛΆ καλα"],
    "en": ["deploy deploys deployed deploying"],
    "es": ["canción canciones", "rápido rápidos", "configuración configuraciones"],
    "fi": ["käyttäjä käyttäjät käyttäjän", "kirja kirjat kirjassa"],
    "fr": ["chanson chansons", "développer développée", "réglage réglages"],
    "hi": ["किताब किताबें किताबों", "लड़का लड़के लड़कों", "शहर शहरों", "नदियाँ नदियां", "ज़मीन जमीन"],
    "hu": ["ház házak házban házakban", "beállítás beállítások beállításokat"],
    "it": ["stazione stazioni", "libro libri"],
    "nl": ["instelling instellingen", "boek boeken"],
    "no": ["innstilling innstillinger innstillingene"],
    "pl": ["plik pliki plików plikami", "ustawienie ustawienia ustawień"],
    "pt": ["configuração configurações", "informação informações"],
    "ro": ["setare setări setările", "informație informații informațiilor"],
    "ru": ["настройка настройки настройками", "книга книги книгами", "ёлка елка"],
    "sr": ["књига књиге knjiga knjige"],
    "sv": ["inställning inställningar inställningarna"],
    "tr": [
        "ayar ayarlar ayarları",
        "ışık ışıklar ışıkları IŞIK isik",
        "İstanbul istanbul",
        "kapı kapılar kapıların",
    ],
}


@pytest.mark.parametrize(
    ("language", "words"), [(code, group) for code, groups in FORMS.items() for group in groups]
)
def test_the_forms_of_a_word_find_each_other(language: str, words: str) -> None:
    forms = words.split()
    for asked in forms:
        query = analyze_query(asked, [language])
        for written in forms:
            assert set(query.words) <= set(query.name(analyze(written, language))), (asked, written)


@pytest.mark.parametrize(
    ("written", "typed", "language"),
    [
        ("configurações", "configuracoes", "pt"),
        ("ışıkları", "isiklari", "tr"),
        ("souborů", "souboru", "cs"),
        ("préférées", "preferees", "fr"),
    ],
)
def test_a_word_has_a_form_for_those_who_type_no_diacritics(written: str, typed: str, language: str) -> None:
    assert len(stem_word(written, language)) <= 2
    assert set(stem_word(typed, language)) <= set(stem_word(written, language))


@pytest.mark.parametrize(
    ("word", "language", "forms"),
    [
        ("deploying", "ru", ("deploy",)),
        ("deploying", "zh", ("deploy",)),
        ("deploying", UNDETERMINED, ("deploy",)),
        ("книгами", UNDETERMINED, ("книг",)),
        ("книгами", "en", ("книг",)),
        ("книгами", "uk", ("книгами~uk",)),
        ("deploying", "vi", ("deploying~vi",)),
        ("Häuser", "de", ("haus~de",)),
        ("configurações", "pt", ("configur~pt", "configuraco~pt")),
        ("zorb51a", "en", ("zorb51a",)),
        ("naïve", "vi", ("naive~vi",)),
        ("", "en", ("",)),
    ],
)
def test_the_script_of_a_word_counts_with_the_language_of_its_page(
    word: str, language: str, forms: tuple[str, ...]
) -> None:
    assert stem_word(word, language) == forms


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_no_language_makes_a_word_vanish(language: str) -> None:
    for word in ("a", "s", "की", "ال", "ων", "ами", "ים", "ներ", "கள்", "lar", "ing"):
        assert all(form.strip() for form in stem_word(word, language))


def test_threads_get_the_stems_of_their_own_words() -> None:
    words = [group.split()[0] for groups in FORMS.values() for group in groups] * 20
    expected = [stem_word(word, "de") for word in words]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda word: stem_word.__wrapped__(word, "de"), words)) == expected
