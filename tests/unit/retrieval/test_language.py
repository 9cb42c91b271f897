"""Which language a page is taken to be in."""

import pytest
from py3langid.langid import MODEL_FILE, LanguageIdentifier

from retrieval.language import AUTO, LANGUAGES, UNDETERMINED, find_language, guess_language, read_language

SENTENCES = {
    "ar": "يجب إعادة تشغيل الخادم بعد كل تحديث للنظام.",
    "cs": "Po každé aktualizaci je nutné server znovu spustit.",
    "da": "Serveren skal genstartes efter hver opdatering af systemet.",
    "de": "Nach jeder Aktualisierung muss der Server neu gestartet werden.",
    "el": "Ο διακομιστής πρέπει να επανεκκινείται μετά από κάθε ενημέρωση.",
    "en": "The server has to be started again after each update of the system.",
    "es": "El servidor debe reiniciarse después de cada actualización del sistema.",
    "fi": "Palvelin on käynnistettävä uudelleen jokaisen päivityksen jälkeen.",
    "fr": "Le serveur doit être redémarré après chaque mise à jour du système.",
    "he": "יש להפעיל מחדש את השרת לאחר כל עדכון של המערכת.",
    "hi": "हर अद्यतन के बाद सर्वर को फिर से चालू करना पड़ता है।",
    "hu": "A kiszolgálót minden frissítés után újra kell indítani.",
    "it": "Il server deve essere riavviato dopo ogni aggiornamento del sistema.",
    "ja": "システムを更新するたびにサーバーを再起動する必要があります。",
    "ko": "시스템을 업데이트할 때마다 서버를 다시 시작해야 합니다.",
    "nl": "De server moet na elke bijwerking van het systeem opnieuw worden gestart.",
    "pl": "Po każdej aktualizacji systemu serwer należy uruchomić ponownie.",
    "pt": "O servidor precisa ser reiniciado depois de cada atualização do sistema.",
    "ro": "Serverul trebuie repornit după fiecare actualizare a sistemului.",
    "ru": "После каждого обновления системы сервер нужно перезапускать.",
    "sv": "Servern måste startas om efter varje uppdatering av systemet.",
    "th": "ต้องเริ่มการทำงานของเซิร์ฟเวอร์ใหม่หลังจากการปรับปรุงระบบทุกครั้ง",
    "tr": "Her güncellemeden sonra sunucunun yeniden başlatılması gerekir.",
    "uk": "Після кожного оновлення системи сервер потрібно перезапускати.",
    "vi": "Phải khởi động lại máy chủ sau mỗi lần cập nhật hệ thống.",
    "zh": "每次更新系统之后都必须重新启动服务器。",
}


@pytest.mark.parametrize(("language", "sentence"), SENTENCES.items())
def test_a_sentence_tells_its_language(language: str, sentence: str) -> None:
    assert guess_language(sentence) == language


@pytest.mark.parametrize(
    "text", ["", "ok", "TODO", "# 2024-05-01\n\n- [ ] 12:30", "Rollback", "\ud800", "🎉" * 50]
)
def test_too_little_prose_tells_none(text: str) -> None:
    assert guess_language(text) == UNDETERMINED


@pytest.mark.parametrize(
    "code",
    [
        "```python\nif the_server_does_not_answer:\n    wait_until_it_is_there_again(after_the_update)\n```",
        "~~~\r\nwhile the server does not answer, wait for it\r\n~~~",
        "`while the server does not answer, wait for it`",
        "<a title='while the server does not answer, wait for it'>",
        "[hier](while-the-server-does-not-answer-wait-for-it.md)",
        "https://example.org/while-the-server-does-not-answer-wait-for-it",
    ],
)
def test_code_and_addresses_are_in_no_language(code: str) -> None:
    page = f"# Neustart\n\nNach jeder Aktualisierung muss der Server neu starten.\n\n{code}\n"
    assert guess_language(f"{page}\n{code}\n\n{code}\n") == "de"


def test_the_beginning_of_a_long_page_tells() -> None:
    assert guess_language(SENTENCES["fr"] * 200 + SENTENCES["de"] * 20_000) == "fr"


@pytest.mark.parametrize(
    "text", ["<a" * 50_000, "```" + "x\n" * 50_000, "a" * 100_000, "](" * 50_000, "`" * 99_999]
)
def test_no_page_takes_long(text: str) -> None:
    assert guess_language(text) in {UNDETERMINED, *LANGUAGES}


@pytest.mark.parametrize(
    ("tag", "language"),
    [
        ("de", "de"),
        (" DE ", "de"),
        ("pt-BR", "pt"),
        ("en_US", "en"),
        ("zh-Hans", "zh"),
        ("sr-Latn-RS", "sr"),
        ("nb", "no"),
        ("fil", "tl"),
        ("iw", "he"),
        *((junk, None) for junk in ("", "python", "js", "xx", "english", "de DE", "d", "de-", "und", "auto")),
        *((junk, None) for junk in (None, 3, True, ["de"], {"de": 1}, "de\x00", "de-" + "x" * 9)),
    ],
)
def test_tags_of_people(tag: object, language: str | None) -> None:
    assert read_language(tag) == language


@pytest.mark.parametrize(
    ("frontmatter", "setting", "language"),
    [
        ({"lang": "fr"}, "es", "fr"),
        ({"language": "fr-CA"}, AUTO, "fr"),
        ({"lang": "python", "language": "fr"}, AUTO, "fr"),
        ({"language": "python"}, "es", "es"),
        ({"lang": 7}, AUTO, "de"),
        ({}, "es", "es"),
        ({}, AUTO, "de"),
    ],
)
def test_the_page_goes_before_the_wiki_and_that_before_a_guess(
    frontmatter: dict[str, object], setting: str, language: str
) -> None:
    assert find_language(frontmatter, SENTENCES["de"], setting=setting) == language


def test_the_identifier_knows_the_languages_but_one() -> None:
    labels = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True).labels
    assert LANGUAGES - set(labels) == {"yi"}
